import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Faults in the bytes of one direction; none if all members are absent. */
export interface LaneFaults {
  /** Nothing passes, not even an end; what waits goes on once this is taken back, as TCP has it after a short cut. */
  readonly hold?: boolean;
  /** Bytes vanish. A connection that has lost some is reset once this is taken back: TCP never goes on behind a gap. */
  readonly drop?: boolean;
  /** Milliseconds that every piece is late. */
  readonly delayMs?: number;
  /** Bandwidth. */
  readonly bytesPerSecond?: number;
  /** Inverts the lowest bit of one byte in so many; checksums of TCP don't notice, as the proxy makes new ones. */
  readonly flipOneIn?: number;
  /** Ends both sides after so many bytes of this direction, counted for each connection. */
  readonly cutAfter?: number;
}

/** How often a lane that is held looks whether it may go on, ms. */
const LOOK_MS = 10;

/** Carries the bytes of one direction of one connection, with back-pressure: at most one piece is under way. */
export class Lane {
  #lost = false;
  #passed = 0;
  #untilFlip = 0;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly faults: () => LaneFaults,
    /** Ends the connection as a crash would: with a reset. */
    private readonly reset: () => void,
  ) {}

  /** Resolves when the direction has ended. Never rejects. */
  async run(): Promise<void> {
    try {
      // By itself the iterator would end the other direction together with this one.
      for await (const piece of this.from.iterator({ destroyOnReturn: false })) {
        if (!(await this.#carry(piece as Buffer))) return;
      }
      await this.#released();
      this.to.end();
    } catch {
      await this.#released();
      this.reset();
    }
  }

  /** False when the connection is over. */
  async #carry(piece: Buffer): Promise<boolean> {
    const { delayMs, bytesPerSecond } = this.faults();
    if (delayMs !== undefined) await pause(delayMs);
    await this.#released();
    if (this.to.destroyed) return false;
    if (this.faults().drop) {
      this.#lost = true;
      return true;
    }
    if (this.#lost) {
      this.reset();
      return false;
    }
    if (bytesPerSecond !== undefined) await pause((piece.length / bytesPerSecond) * 1000);
    return this.#write(this.#flipped(piece));
  }

  async #write(piece: Buffer): Promise<boolean> {
    const { cutAfter } = this.faults();
    const room = cutAfter === undefined ? piece.length : cutAfter - this.#passed;
    const part = piece.subarray(0, Math.max(0, room));
    this.#passed += part.length;
    await new Promise<void>((resolve) => this.to.write(part, () => resolve()));
    if (room > piece.length || cutAfter === undefined) return true;
    this.to.end();
    this.from.destroy();
    return false;
  }

  #flipped(piece: Buffer): Buffer {
    const { flipOneIn } = this.faults();
    if (flipOneIn === undefined) return piece;
    const flipped = Buffer.from(piece);
    for (this.#untilFlip ||= flipOneIn; this.#untilFlip <= flipped.length; this.#untilFlip += flipOneIn) {
      const at = this.#untilFlip - 1;
      flipped[at] = (flipped[at] ?? 0) ^ 1;
    }
    this.#untilFlip -= flipped.length;
    return flipped;
  }

  async #released(): Promise<void> {
    while (this.faults().hold && !this.to.destroyed) await pause(LOOK_MS);
  }
}
