/** Reasons of a single field's refusal, as clients know them. */
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
  /** Path of JSON names from the root of the object: `spec.containers[0].image`; map keys stand in brackets. */
  readonly field: string;
  /** Reason for clients to branch on; it becomes the `reason` of a cause in the Status. */
  readonly reason: FieldErrorReason;
  /** Message without the path: `Invalid value: "x": must be …`, in the wording of the reference. */
  readonly message: string;
}

/** A value whose text in messages is formatted by the caller, who knows its type. */
export class VerbatimValue {
  /** @param text stands in messages as it is, without quotes */
  constructor(readonly text: string) {}
}

/** Values within a value, and characters of a text within it, of which a message shows no more. */
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

/** A text in quotes, with the reference's escapes for what cannot be printed, which are not those of JSON. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (!UNPRINTABLE.test(text)) return json;
  return json.replace(/\\\\|\\u00([01][0-9a-f])|\u007f/g, (found, code?: string) =>
    found === '\\\\' ? found : code === undefined ? '\\x7f' : (CONTROLS.get(code) ?? `\\x${code}`),
  );
}

/** A field's value as it stands in messages: strings quoted, also the one for nothing at all; the rest as JSON. */
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

/** A value whose text is made once for several errors. */
export const verbatim = (value: unknown): VerbatimValue => new VerbatimValue(shown(value));

/** A field that must be set is unset or empty; `detail` may say why it must be. */
export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail ? `Required value: ${detail}` : 'Required value',
});
/** A value that is of the right type and not allowed; `value` is shown as JSON, `detail` says what is allowed. */
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
/** A value that is none of an enumeration; `supported` is listed in the order given. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
});
/** A value, or a key of a list that is a map, that stands in the list before; `detail` may say what must be unique. */
export const duplicate = (field: string, value: unknown, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${shown(value)}${detail && `: ${detail}`}`,
});
/** A field that must not be set or not be changed here; `detail` says why. */
export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});
/** A text or a map of more than `limit` bytes; the value itself is not shown. */
export const tooLong = (field: string, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: must have at most ${limit} bytes`,
});
/** A list or a map of `count` items, of which at most `limit` are allowed. */
export const tooMany = (field: string, count: number, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${limit} items`,
});
/** A value that refers to something that is not there; `detail` may say what is. */
export const notFoundValue = (field: string, value: unknown, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${shown(value)}${detail && `: ${detail}`}`,
});

/** A value of another type than is asked for. */
export const typeInvalid = (field: string, value: unknown, message: string): FieldError => ({
  ...invalidValue(field, value, message),
  reason: 'FieldValueTypeInvalid',
});
