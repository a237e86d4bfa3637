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
  | 'FieldValueNotFound';

/** One thing wrong with one field; `field` is a path such as `spec.containers[0].image`. */
export interface FieldError {
  readonly field: string;
  readonly reason: FieldErrorReason;
  readonly message: string;
}

/** A value whose text in messages is made by whoever knows its type. */
export class Shown {
  constructor(readonly text: string) {}
}

/** Values within a value, and characters of a text within it, of which a message shows no more. */
const SHOWN_VALUES = 1_000;
const SHOWN_CHARACTERS = 4_096;

/** A text as messages show it: cut where it is so long that nobody reads it. */
export const shortened = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;

/** A field's value as it stands in messages: strings quoted, also the one for nothing at all; the rest as JSON. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (value instanceof Shown) return value.text;
  if (value === undefined || value === null) return '"null"';
  let left = SHOWN_VALUES;
  return JSON.stringify(value, (_key, v: unknown) => {
    if (--left < 0) return undefined;
    return typeof v === 'bigint' ? v.toString() : typeof v === 'string' ? shortened(v) : v;
  });
}

/** A value whose text is made once for several errors. */
export const asShown = (value: unknown): Shown => new Shown(shown(value));

export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail ? `Required value: ${detail}` : 'Required value',
});
export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown(value)}: ${detail}`,
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${shown(value)}`,
});
export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});
export const tooLong = (field: string, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: must have at most ${limit} bytes`,
});
export const tooMany = (field: string, actual: number, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  message: `Too many: ${actual}: must have at most ${limit} items`,
});
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${shown(value)}`,
});
