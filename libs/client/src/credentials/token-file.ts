import { readFile } from 'node:fs/promises';
import { CredentialsError } from '../errors.js';

/**
 * Milliseconds for which the token counts as current: a minute, less ten seconds, as in client-go's
 * transport/token_source.go.
 */
const FRESH_MS = 50_000;

/** A bearer token in a file that others rewrite. */
export class FileTokenSource {
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `fallback`: token to use until the file has been read once. `now`: milliseconds. */
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

  /** Reports that the server has refused the token: the next {@link read} reads the file. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
