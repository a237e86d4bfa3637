import { parseDuration } from '@orch/machinery';

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * Reads the fields of an object that was parsed from YAML or JSON: wrong types are refused at once, with the path, and
 * fields that were not read are collected over the whole document.
 */
export class StrictFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  private constructor(
    value: unknown,
    /** Path of the object; empty for the root. */
    readonly path: string,
    /** Paths of fields that were not read, of the whole document. */
    readonly unknown: string[],
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${path || 'the file'} must be an object`);
    this.#values = value as Readonly<Record<string, unknown>>;
  }

  /** Reads a whole document. @throws Error for wrong types and for unknown fields */
  static read<T>(value: unknown, read: (fields: StrictFields) => T): T {
    const unknown: string[] = [];
    const result = StrictFields.#object(value, '', unknown, read);
    if (unknown.length > 0)
      throw new Error(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`);
    return result;
  }

  static #object<T>(value: unknown, path: string, unknown: string[], read: (fields: StrictFields) => T): T {
    const fields = new StrictFields(value, path, unknown);
    const result = read(fields);
    for (const name of Object.keys(fields.#values)) if (!fields.#read.has(name)) unknown.push(fields.at(name));
    return result;
  }

  /** Returns the path of a field. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** Returns a field as it is. */
  any(name: string): unknown {
    this.#read.add(name);
    return this.#values[name];
  }

  /** Returns a string; empty where it is absent. */
  text(name: string): string {
    return this.optionalText(name) ?? '';
  }

  /** Returns a string; undefined where it is absent. */
  optionalText(name: string): string | undefined {
    return this.#typed(name, 'a string', (value): value is string => typeof value === 'string');
  }

  /** Returns a boolean; undefined where it is absent. */
  flag(name: string): boolean | undefined {
    return this.#typed(name, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  /** Returns a whole number that a double holds; undefined where it is absent. */
  integer(name: string): number | undefined {
    const value = this.any(name);
    // Parsers may hand out large whole numbers as bigint.
    const number = typeof value === 'bigint' ? Number(value) : value;
    if (!isGiven(number)) return undefined;
    if (!Number.isSafeInteger(number)) throw new Error(`${this.at(name)} must be a whole number`);
    return number as number;
  }

  /** Returns a number; undefined where it is absent. */
  number(name: string): number | undefined {
    return this.#typed(name, 'a number', (value): value is number => Number.isFinite(value));
  }

  /** Returns the milliseconds of a duration such as `15s`; 0 where it is absent. */
  durationMs(name: string): number {
    const text = this.optionalText(name);
    if (text === undefined) return 0;
    try {
      return Number(parseDuration(text)) / 1e6;
    } catch (error) {
      throw new Error(`${this.at(name)}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Returns a list of objects; undefined where it is absent. */
  objects<T>(name: string, read: (fields: StrictFields) => T): readonly T[] | undefined {
    return this.#list(name)?.map((each, i) => StrictFields.#object(each, `${this.at(name)}[${i}]`, this.unknown, read));
  }

  /** Returns a list of strings; empty where it is absent. */
  texts(name: string): readonly string[] {
    return (this.#list(name) ?? []).map((each, i) => {
      if (typeof each !== 'string') throw new Error(`${this.at(name)}[${i}] must be a string`);
      return each;
    });
  }

  /** Returns an object; undefined where it is absent. */
  object<T>(name: string, read: (fields: StrictFields) => T): T | undefined {
    const value = this.any(name);
    return isGiven(value) ? StrictFields.#object(value, this.at(name), this.unknown, read) : undefined;
  }

  #list(name: string): readonly unknown[] | undefined {
    return this.#typed(name, 'a list', (value): value is readonly unknown[] => Array.isArray(value));
  }

  #typed<T>(name: string, type: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.any(name);
    if (!isGiven(value)) return undefined;
    if (!is(value)) throw new Error(`${this.at(name)} must be ${type}`);
    return value;
  }
}
