import type { SplitBody } from '@orch/storage';

/** So many bodies wait to be stored and announced, but for a herd of writers. */
const MOST = 128;
/** Bytes of a body that is kept; the dividing of a larger one costs little beside the rest of what it costs. */
const LARGEST = 32 << 10;

/**
 * What bodies are divided into, of those that were put together lately: who makes one has its parts at hand, and stores and announces it
 * right after.
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
