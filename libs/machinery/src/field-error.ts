/** Reasons for refusing a field, as clients know them. */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound'
  | 'InternalError';

/** An error in a field; `field` is a path such as `spec.containers[0].image`. */
export interface FieldError {
  /** Path of JSON names from the root of the object: `spec.containers[0].image`; map keys are in brackets. */
  readonly field: string;
  /** Reason for clients to branch on; it becomes the `reason` of a cause in the Status. */
  readonly reason: FieldErrorReason;
  /** Message without the path: `Invalid value: "x": must be …`, in the wording of the reference. */
  readonly message: string;
}

/** A value whose text in messages is formatted by the caller, who knows its type. */
export class VerbatimValue {
  /** @param text used in messages as it is, without quotes */
  constructor(readonly text: string) {}
}

/** Limits of the values within a value, and of the characters of a text within it, that a message shows. */
const SHOWN_VALUES = 1_000;
const SHOWN_CHARACTERS = 4_096;

/** Shortens a text for messages when it is too long to be read. */
export const shortened = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;

const CONTROLS = new Map([
  ['07', '\\a'],
  ['0b', '\\v'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f]/;

/** Quotes a text, with the reference's escapes for unprintable characters, which are not those of JSON. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (!UNPRINTABLE.test(text)) return json;
  return json.replace(/\\\\|\\u00([01][0-9a-f])|\u007f/g, (found, code?: string) =>
    found === '\\\\' ? found : code === undefined ? '\\x7f' : (CONTROLS.get(code) ?? `\\x${code}`),
  );
}

/** Formats a field's value for messages: strings quoted, including the one for no value; the rest as JSON. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(shortened(value));
  if (value instanceof VerbatimValue) return shortened(value.text);
  if (value === undefined || value === null) return '"null"';
  if (typeof value === 'bigint') return value.toString();
  let left = SHOWN_VALUES;
  return JSON.stringify(value, (_key, v: unknown) => {
    if (--left < 0) return undefined;
    return typeof v === 'bigint' ? v.toString() : typeof v === 'string' ? shortened(v) : v;
  });
}

/** Returns a value whose text is computed once for several errors. */
export const verbatim = (value: unknown): VerbatimValue => new VerbatimValue(shown(value));

/** A required field is unset or empty; `detail` may say why it is required. */
export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail ? `Required value: ${detail}` : 'Required value',
});
/** A value of the right type is not allowed; `value` is shown as JSON, `detail` says what is allowed. */
export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown(value)}: ${detail}`,
});
/** An error for a failed check. */
export const internalError = (field: string, detail: string): FieldError => ({
  field,
  reason: 'InternalError',
  message: `Internal error: ${detail}`,
});
/** A value is not in an enumeration; `supported` is listed in the order given. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
});
/** A value, or a key of a list that is a map, is a duplicate; `detail` may say what must be unique. */
export const duplicate = (field: string, value: unknown, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${shown(value)}${detail && `: ${detail}`}`,
});
/** A field must not be set or changed here; `detail` says why. */
export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});
/** A text or a map exceeds `limit` bytes; the value itself is not shown. */
export const tooLong = (field: string, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: must have at most ${limit} bytes`,
});
/** A list or a map has `count` items, of which at most `limit` are allowed. */
export const tooMany = (field: string, count: number, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${limit} items`,
});
/** A value refers to a missing object; `detail` may say which. */
export const notFoundValue = (field: string, value: unknown, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${shown(value)}${detail && `: ${detail}`}`,
});

/** A value is of the wrong type. */
export const typeInvalid = (field: string, value: unknown, message: string): FieldError => ({
  ...invalidValue(field, value, message),
  reason: 'FieldValueTypeInvalid',
});
