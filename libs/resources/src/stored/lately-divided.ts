import type { SplitBody } from '@orch/storage';

/** So many bodies wait to be stored and announced, but for a herd of writers. */
const MOST = 128;
/** Bytes of a body that is kept; the dividing of a larger one costs little beside the rest of what it costs. */
const LARGEST = 32 << 10;

/**
 * Remembers the parts of bodies that were assembled lately: their maker has them at hand, and the body is stored and
 * announced right after.
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

  /** The parts of this very buffer; undefined when they are not known any more. */
  partsOf(whole: Buffer): SplitBody | undefined {
    return this.#parts.get(whole);
  }
}
