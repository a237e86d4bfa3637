import { readFile } from 'node:fs/promises';
import { CredentialsError } from '../errors.js';
import { type ClientCertificate, clientCertificate } from './certificate.js';

/** Milliseconds for which read files count as current. */
const FRESH_MS = 1000;

/** A client certificate and its key in files that are rewritten by others, one after the other. */
export class CertificateFiles {
  #current: ClientCertificate | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds. */
  constructor(
    private readonly certFile: string,
    private readonly keyFile: string,
    private readonly now: () => number,
  ) {}

  /**
   * Returns the same object until the files hold another matching pair. @throws CredentialsError when they never held
   * one
   */
  async read(): Promise<ClientCertificate> {
    if (this.#current && this.now() - this.#readAt < FRESH_MS) return this.#current;
    try {
      const [cert, key] = await Promise.all([readFile(this.certFile, 'utf8'), readFile(this.keyFile, 'utf8')]);
      if (cert !== this.#current?.cert || key !== this.#current.key) this.#current = clientCertificate(cert, key);
      this.#readAt = this.now();
    } catch (error) {
      if (!this.#current) throw new CredentialsError(`${this.certFile}: ${(error as Error).message}`);
    }
    return this.#current;
  }
}
