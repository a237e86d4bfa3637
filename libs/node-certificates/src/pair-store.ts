import { randomUUID } from 'node:crypto';
import { readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type CertificatePair, checkPair, pairOf } from './pair.js';
import { readIfPresent, writeWholeFile } from './whole-file.js';

/** Files of certificates beside the one in use: the one before it stays, for who is just reading it. */
const KEPT_BEFORE = 1;

/**
 * Certificates of one purpose in a folder: each in a file of its own with its key, `<name>-<time>.pem`, and a link
 * `<name>-current.pem` to the one in use, which changes at once. The key of a request under way is in `<name>.key`, so
 * that a process that is ended in between goes on with the same request.
 */
export class PairStore {
  /** The link to the pair in use. */
  readonly currentFile: string;
  readonly #keyFile: string;

  /** @param folder made when something is written */
  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {
    this.currentFile = join(folder, `${name}-current.pem`);
    this.#keyFile = join(folder, `${name}.key`);
  }

  /** Returns the pair in use; undefined where there is none. @throws Error where the file cannot be read or used */
  async current(): Promise<CertificatePair | undefined> {
    const text = await readIfPresent(this.currentFile);
    return text === undefined ? undefined : pairOf(text);
  }

  /** Returns the key of a request that may be under way; undefined where there is none, or only a broken file. */
  async requestKey(): Promise<string | undefined> {
    const text = await readIfPresent(this.#keyFile);
    return text?.trimEnd().endsWith('PRIVATE KEY-----') ? text : undefined;
  }

  /** Keeps the key of a request, before that is made. Returns it. */
  async keepRequestKey(key: string): Promise<string> {
    await writeWholeFile(this.#keyFile, key);
    return key;
  }

  /** Forgets the key of a request, which has ended. */
  dropRequestKey(): Promise<void> {
    return rm(this.#keyFile, { force: true });
  }

  /** Makes a pair the one in use. @param now milliseconds since 1970 @throws Error for a pair that does not fit */
  async keep(pair: CertificatePair, now: number): Promise<void> {
    checkPair(pair);
    const file = `${this.name}-${new Date(now).toISOString().replaceAll(':', '-')}.pem`;
    const before = await readlink(this.currentFile).catch(() => undefined);
    await writeWholeFile(join(this.folder, file), `${ended(pair.cert)}${ended(pair.key)}`);
    await this.#point(file);
    await this.#prune(file, before);
  }

  async #point(file: string): Promise<void> {
    const temporary = `${this.currentFile}.${randomUUID()}.tmp`;
    try {
      await symlink(file, temporary);
      await rename(temporary, this.currentFile);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #prune(current: string, before: string | undefined): Promise<void> {
    const isOurs = (file: string) => file.startsWith(`${this.name}-2`) && file.endsWith('.pem');
    const old = (await readdir(this.folder)).filter((file) => isOurs(file) && file !== current && file !== before);
    const kept = before === undefined ? KEPT_BEFORE : 0;
    const gone = old.sort().slice(0, Math.max(0, old.length - kept));
    await Promise.all(gone.map((file) => rm(join(this.folder, file), { force: true })));
  }
}

const ended = (pem: string): string => (pem.endsWith('\n') ? pem : `${pem}\n`);
