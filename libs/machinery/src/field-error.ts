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
  if (value instanceof Shown) return value.text;
  if (value === undefined || value === null) return '"null"';
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  let left = SHOWN_VALUES;
  return JSON.stringify(value, (_key, v: unknown) => {
    if (--left < 0) return undefined;
    return typeof v === 'bigint' ? v.toString() : typeof v === 'string' ? shortened(v) : v;
  });
}

/** Made when it is read: of thousands of errors only the first are ever told. */
function fieldError(field: string, reason: FieldErrorReason, text: () => string): FieldError {
  return {
    field,
    reason,
    get message() {
      return text();
    },
  };
}

export const required = (field: string, detail = ''): FieldError =>
  fieldError(field, 'FieldValueRequired', () => (detail ? `Required value: ${detail}` : 'Required value'));
export const invalidValue = (field: string, value: unknown, detail: string): FieldError =>
  fieldError(field, 'FieldValueInvalid', () => `Invalid value: ${shown(value)}: ${detail}`);
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
  fieldError(field, 'FieldValueNotSupported', () => {
    const texts = supported.map((text) => JSON.stringify(text));
    return `Unsupported value: ${shown(value)}: supported values: ${texts.join(', ')}`;
  });
export const duplicate = (field: string, value: unknown): FieldError =>
  fieldError(field, 'FieldValueDuplicate', () => `Duplicate value: ${shown(value)}`);
export const forbiddenField = (field: string, detail: string): FieldError =>
  fieldError(field, 'FieldValueForbidden', () => `Forbidden: ${detail}`);
export const tooLong = (field: string, limit: number): FieldError =>
  fieldError(field, 'FieldValueTooLong', () => `Too long: must have at most ${limit} bytes`);
export const tooMany = (field: string, actual: number, limit: number): FieldError =>
  fieldError(field, 'FieldValueTooMany', () => `Too many: ${actual}: must have at most ${limit} items`);
export const notFoundValue = (field: string, value: unknown): FieldError =>
  fieldError(field, 'FieldValueNotFound', () => `Not found: ${shown(value)}`);
