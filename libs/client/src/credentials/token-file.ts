import { readFile } from 'node:fs/promises';
import { CredentialsError } from '../errors.js';

/** A minute, less ten seconds, as client-go's transport/token_source.go has it. */
const FRESH_MS = 50_000;

/** A bearer token in a file that others rewrite. */
export class TokenFile {
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `fallback`: what holds until the file has been read once. `now`: milliseconds. */
  constructor(
    private readonly file: string,
    fallback: string | undefined,
    private readonly now: () => number,
  ) {
    this.#token = fallback;
  }

  /** Returns the file's token, or the last one that could be read. @throws CredentialsError when there never was one */
  async read(): Promise<string> {
    if (this.#token !== undefined && this.now() - this.#readAt < FRESH_MS) return this.#token;
    try {
      const token = (await readFile(this.file, 'utf8')).trim();
      if (token === '') throw new Error('it is empty');
      this.#token = token;
      this.#readAt = this.now();
    } catch (error) {
      if (this.#token === undefined) throw new CredentialsError(`token file ${this.file}: ${(error as Error).message}`);
    }
    return this.#token;
  }

  /** The server does not take the token any more: the next {@link read} looks into the file. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
