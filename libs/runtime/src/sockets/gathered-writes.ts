import type { Socket } from 'node:net';
import { systemClock } from '../clock.js';

/** Bytes that are written at a time at most: what is read in one turn of the event loop, mostly. */
const BLOCK_BYTES = 128 << 10;

/** Blocks that wait to be used again, by any connection. */
const free: Buffer[] = [];
const MAX_FREE = 16;

/**
 * Copies bytes, and writes those of one turn of the event loop at once: TLS hands over each write by itself, and a call of
 * the system for each record costs most of the CPU.
 */
export class GatheredWrites {
  #block: Buffer | undefined;
  #length = 0;

  /** @param full called when the connection takes no more at present */
  constructor(
    private readonly to: Socket,
    private readonly full: () => void,
  ) {}

  /** Takes bytes, which may change once this returns. */
  add(bytes: Buffer): void {
    for (let taken = 0; taken < bytes.length; ) {
      this.#block ??= this.#begin();
      const copied = bytes.copy(this.#block, this.#length, taken);
      taken += copied;
      this.#length += copied;
      if (this.#length === BLOCK_BYTES) this.flush();
    }
  }

  /** Writes at once what was taken. */
  flush(): void {
    const [block, length] = [this.#block, this.#length];
    if (!block) return;
    this.#block = undefined;
    this.#length = 0;
    if (!this.to.write(block.subarray(0, length), (error) => error ?? reuse(block))) this.full();
  }

  #begin(): Buffer {
    systemClock.soon(() => this.flush());
    return free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }
}

function reuse(block: Buffer): void {
  if (free.length < MAX_FREE) free.push(block);
}
