import {
  type FieldError,
  invalidValue,
  notSupported,
  parseQuantity,
  type Quantity,
  QuantityError,
  required,
} from '@orch/machinery';
import { type NameOf, numberAt, textAt } from '../values/fields.js';

/** Checks of single values, with the messages that clients know. An empty list means valid. */

export const MAX_INT32 = 2 ** 31 - 1;
/** Protocols of ports, in the order in which messages list them. */
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_PORT = 65535;
const PORT_NAME_MAX = 15;

/** Returns the message for a number out of range. */
export const rangeText = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

/** Makes an error of each text. */
export const invalidEach = (field: string, value: unknown, texts: readonly string[]): FieldError[] =>
  texts.map((text) => invalidValue(field, value, text));

/** A number that is there must not be negative. */
export const nonNegative = (field: string, value: unknown): FieldError[] =>
  (typeof value === 'number' || typeof value === 'bigint') && value < 0
    ? [invalidValue(field, value, 'must be greater than or equal to 0')]
    : [];

/** {@link nonNegative} for members of an object. */
export const nonNegativeMembers = <T extends object>(
  object: T | undefined,
  path: string,
  names: readonly NameOf<T>[],
): FieldError[] =>
  names.flatMap((name) =>
    (numberAt(object, name) ?? 0) < 0 ? nonNegative(`${path}.${name}`, numberAt(object, name)) : [],
  );

/** A text that must be there and be one of some. */
export function oneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  if (value === undefined || value === null || value === '') return [required(field)];
  return isOneOf(field, value, supported);
}

/** A member that must be there and be one of some; an empty text counts as a value, as of what may be null. */
export const givenOneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldError[] =>
  value === undefined || value === null ? [required(field)] : isOneOf(field, value, supported);

/** A text that must be one of some when it is there; an empty one counts as a value. */
export const isOneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldError[] =>
  value === undefined || value === null || supported.includes(String(value))
    ? []
    : [notSupported(field, value, supported)];

/** The text of a member must be there; more is then asked of it by `check`. */
export function requiredText<T extends object>(
  object: T | undefined,
  path: string,
  name: NameOf<T>,
  check: (value: string) => string[] = () => [],
): FieldError[] {
  const value = textAt(object, name);
  const field = `${path}.${name}`;
  return value === '' ? [required(field)] : invalidEach(field, value, check(value));
}

/** Returns the error of a port number outside of 1 to 65535. */
export const portNumberErrors = (port: number): string[] =>
  port >= 1 && port <= MAX_PORT ? [] : [rangeText(1, MAX_PORT)];

/** Names of ports (RFC 6335): at most 15 lower-case letters, digits and single hyphens, with a letter among them. */
export function portNameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > PORT_NAME_MAX) errors.push(`must be no more than ${PORT_NAME_MAX} characters`);
  if (!/^[-a-z0-9]+$/.test(name)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** A port by its number or its name. */
export const portErrors = (field: string, port: string | number | undefined): FieldError[] =>
  typeof port === 'string'
    ? invalidEach(field, port, portNameErrors(port))
    : invalidEach(field, port ?? 0, portNumberErrors(Number(port ?? 0)));

/**
 * Returns a quantity; undefined for an invalid one, which readers of objects refuse, but which may come from other
 * sources.
 */
export function quantityOf(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** Whether a text is an amount that is not above zero. */
export const isNotPositive = (text: string): boolean => (quantityOf(text)?.nanos ?? 1n) <= 0n;
