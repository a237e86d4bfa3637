import type { CertificatePair } from './pair.js';

/** A pair in use, and who wants to know of later ones. */
export class ChangingPair {
  readonly #listeners = new Set<(pair: CertificatePair) => void>();

  constructor(private current: CertificatePair) {}

  /** Returns the pair in use. */
  pair(): CertificatePair {
    return this.current;
  }

  /** Calls `listener` with each later pair. Returns a function that removes it. */
  onChange(listener: (pair: CertificatePair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes a pair, unless it is the one in use. */
  take(pair: CertificatePair): void {
    if (pair.cert === this.current.cert && pair.key === this.current.key) return;
    this.current = pair;
    for (const listener of this.#listeners) listener(pair);
  }
}
