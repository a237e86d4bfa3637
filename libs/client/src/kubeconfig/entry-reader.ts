import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isRecord, type UnknownRecord } from '../record.js';

/** Thrown for an unusable kubeconfig; the message names the file and the entry, and quotes no secrets. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the members of one entry of a kubeconfig. Absent, null and empty ones are undefined. Throws
 * {@link KubeconfigError}.
 */
export class EntryReader {
  /** `what`: the entry as messages name it, such as `user "admin"`. */
  constructor(
    readonly file: string,
    readonly what: string,
    private readonly entry: UnknownRecord,
  ) {}

  /** The error to throw for this entry. */
  error(why: string): KubeconfigError {
    return new KubeconfigError(`${this.file}: ${this.what}: ${why}`);
  }

  /** Whether the entry has a member. */
  has(member: string): boolean {
    const value = this.entry[member];
    return value !== undefined && value !== null;
  }

  /** Returns a string; undefined if it is absent or empty. @throws KubeconfigError for another value */
  text(member: string): string | undefined {
    const value = this.entry[member];
    if (!this.has(member) || value === '') return undefined;
    if (typeof value !== 'string') throw this.error(`${member} is not a string`);
    return value;
  }

  /** Returns a boolean; false if it is absent. @throws KubeconfigError for another value */
  flag(member: string): boolean {
    const value = this.entry[member] ?? false;
    if (typeof value !== 'boolean') throw this.error(`${member} is neither true nor false`);
    return value;
  }

  /** Strings; an absent list is empty. */
  texts(member: string): readonly string[] {
    const value = this.entry[member] ?? [];
    if (!isTexts(value)) throw this.error(`${member} is not a list of strings`);
    return value;
  }

  /** Lists of strings by name. */
  textLists(member: string): Readonly<Record<string, readonly string[]>> {
    const value = this.entry[member] ?? {};
    if (!isRecord(value) || !Object.values(value).every(isTexts))
      throw this.error(`${member} is not a map of lists of strings`);
    return value as Readonly<Record<string, readonly string[]>>;
  }

  /** Returns a member that is an entry. */
  inner(member: string): EntryReader | undefined {
    const value = this.entry[member];
    if (!this.has(member)) return undefined;
    if (!isRecord(value)) throw this.error(`${member} is not an object`);
    return new EntryReader(this.file, `${this.what}: ${member}`, value);
  }

  /** Returns the entries of a list; an absent one is empty. */
  list(member: string): readonly EntryReader[] {
    const value = this.entry[member] ?? [];
    if (!Array.isArray(value)) throw this.error(`${member} is not a list`);
    return value.map((entry: unknown, at) => {
      const what = this.what === '' ? member : `${this.what}: ${member}`;
      if (!isRecord(entry)) throw new KubeconfigError(`${this.file}: ${what}[${at}] is not an object`);
      return new EntryReader(this.file, `${what}[${at}]`, entry);
    });
  }

  /** Returns the raw value. */
  raw(member: string): unknown {
    return this.entry[member];
  }

  /** Resolves a path against the folder of the kubeconfig. */
  path(member: string): string | undefined {
    const path = this.text(member);
    return path === undefined ? undefined : resolve(dirname(this.file), path);
  }

  /** Decodes `member-data` from base64. */
  data(member: string): string | undefined {
    const text = this.text(`${member}-data`)?.replace(/[\r\n]/g, '');
    if (text === undefined) return undefined;
    if (!BASE64.test(text)) throw this.error(`${member}-data is not base64`);
    return Buffer.from(text, 'base64').toString();
  }

  /** Reads the file that `member` names. */
  async fileText(member: string): Promise<string | undefined> {
    const path = this.path(member);
    if (path === undefined) return undefined;
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw this.error(`${member}: ${(error as Error).message}`);
    }
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
