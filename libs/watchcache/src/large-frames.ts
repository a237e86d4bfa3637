import type { Version } from '@orch/storage';
import type { EventKind } from './ring.js';

/** Bytes of an object from which on its frames are shared by all who hold them: what is smaller is copied into pieces. */
const LARGE = 16 << 10;

/** A frame by the memory that it lies in, which is there as long as somebody holds any part of it. */
interface Held {
  readonly memory: WeakRef<ArrayBufferLike>;
  readonly offset: number;
  readonly length: number;
}

/**
 * Finds the frames of large objects that somebody still holds, such as the connection of a client that does not read. All
 * watches that are given the same frame so hold the same bytes, however far apart in time, and whatever their selectors.
 * Keeps no frame itself.
 */
export class LargeFrames {
  readonly #held = new Map<string, Held>();
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#held.get(name)?.memory.deref() === undefined) this.#held.delete(name);
  });

  /** The frame of an object's body for an encoder; where nobody holds it, it is made. */
  frame(body: Buffer, kind: EventKind, version: Version, encoder: string, make: () => Buffer): Buffer {
    if (body.length < LARGE) return make();
    const name = `${version} ${kind} ${encoder}`;
    const known = this.#held.get(name);
    const memory = known?.memory.deref();
    if (known !== undefined && memory !== undefined) return Buffer.from(memory, known.offset, known.length);
    const made = make();
    this.#held.set(name, { memory: new WeakRef(made.buffer), offset: made.byteOffset, length: made.length });
    this.#gone.register(made.buffer, name);
    return made;
  }

  /** Finds nothing from before any more. */
  clear(): void {
    this.#held.clear();
  }
}
