import { hash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CsvError, parseCsv } from './csv.js';
import type { TokenVerifier } from './token-verifier.js';
import { type Authentication, authenticated } from './user.js';

/** Thrown for an unusable token file; the message names file and line, never a token. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/**
 * The static tokens of `--token-auth-file` (spec: "Static token file"): token, user name, user UID, groups. The groups
 * are in one quoted column, comma-separated, or in columns of their own. Read once; a change needs a restart. Of a
 * token that is given twice the last line is used, and lines without one are skipped, each with a warning (as in
 * pkg/authentication/token/tokenfile of k8s.io/apiserver).
 *
 * A token is looked up by a digest under a key that only this process knows, so that the time of a lookup reveals
 * nothing about the tokens held.
 */
export class TokenFileAuthenticator implements TokenVerifier {
  readonly #key = randomBytes(32).toString('base64');
  readonly #users = new Map<string, Authentication>();

  /** Warnings about suspicious but usable lines; they give line numbers, never a token. */
  readonly warnings: readonly string[];

  /** Reads the text of a file; `origin` names it in errors. Throws {@link TokenFileError}. */
  constructor(text: string, origin: string) {
    const warnings: string[] = [];
    for (const { line, fields } of records(text, origin)) {
      const [token = '', name = '', uid = '', ...groups] = fields;
      if (fields.length < 3) {
        throw new TokenFileError(
          `${origin}: line ${line}: at least 3 columns are needed (token, user name, user UID), found ${fields.length}`,
        );
      }
      if (!token) {
        warnings.push(`${origin}: line ${line}: the token is empty; the line is passed over`);
        continue;
      }
      if (/\s/.test(token)) throw new TokenFileError(`${origin}: line ${line}: the token holds white space`);
      if (!name) throw new TokenFileError(`${origin}: line ${line}: the user name is empty`);
      const digest = this.#digest(token);
      if (this.#users.has(digest))
        warnings.push(`${origin}: line ${line}: the token was given before; what is said of it last counts`);
      const names = groups.flatMap((column) => column.split(',')).filter((group) => group !== '');
      this.#users.set(digest, authenticated({ name, ...(uid && { uid }), groups: names, extra: {} }, 'token'));
    }
    this.warnings = warnings;
  }

  /** Throws {@link TokenFileError} or the file system's error. */
  static async read(path: string): Promise<TokenFileAuthenticator> {
    return new TokenFileAuthenticator(await readFile(path, 'utf8'), path);
  }

  /** Takes as long for a known token as for an unknown one of its length. */
  verify(token: string): Authentication | undefined {
    return this.#users.get(this.#digest(token));
  }

  #digest(token: string): string {
    return hash('sha256', this.#key + token, 'base64');
  }
}

function records(text: string, origin: string) {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof CsvError) throw new TokenFileError(`${origin}: ${error.message}`);
    throw error;
  }
}
