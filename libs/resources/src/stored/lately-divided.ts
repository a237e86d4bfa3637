import type { SplitBody } from '@orch/storage';

/** Number of bodies that wait to be stored and announced at most, except with very many concurrent writers. */
const MOST = 128;
/**
 * Maximum bytes of a body whose parts are kept; dividing a larger one costs little compared with the rest of its write.
 */
const LARGEST = 32 << 10;

/**
 * Caches the parts of bodies that were assembled recently: the code that assembles a body has its parts at hand, and
 * the body is stored and announced right afterwards.
 */
export class LatelyDivided {
  readonly #parts = new Map<Buffer, SplitBody>();

  note(whole: Buffer, parts: SplitBody): void {
    if (whole.length > LARGEST) return;
    this.#parts.set(whole, parts);
    if (this.#parts.size <= MOST) return;
    for (const oldest of this.#parts.keys()) {
      this.#parts.delete(oldest);
      return;
    }
  }

  /** Returns the parts of this very buffer; undefined if they are no longer cached. */
  partsOf(whole: Buffer): SplitBody | undefined {
    return this.#parts.get(whole);
  }
}
