/** What V8 lets come of memory outside of its heap since it last collected, before it looks for what is dead (`kExternalAllocationSoftLimit`). */
const LET_BY_V8 = 64 << 20;
/** What is let come here. */
const LET = 24 << 20;
/** Of so much as this no malloc keeps any for the next time, nor fills it with zeroes by hand: no page of it is ever there. */
const BALLAST = LET_BY_V8 - LET;
/** Bytes of a buffer that counts: where all are smaller, V8 has other reasons to collect before they are many. */
const LARGE = 32 << 10;
/** Bytes after which V8 is told again: it may have collected since. */
const STEP = 2 << 20;
/** Milliseconds without any after which V8 is left to itself. */
const IDLE = 2_000;

/** Undefined where the kernel promises no memory that is not there: V8 has then stopped the process some times, to look for dead memory. */
function ballast(): ArrayBuffer | undefined {
  try {
    return new ArrayBuffer(BALLAST);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/**
 * Has V8 look for dead buffers sooner, for as long as many come: where bodies of a MB each pass through, what waits for V8 is most of what a
 * process takes. V8 goes by how much there is outside of its heap beyond the least since it last collected. A ballast that is let go of for
 * a moment makes that least so much less, and the rest of what V8 lets come all that is left. So it marks as it always does, beside what else
 * is done, where to be told to collect it would stop the process.
 */
export class EarlyCollection {
  #ballast: ArrayBuffer | undefined;
  /** No ballast was to be had once: to ask again might stop the process each time, for as long as it takes to look through the heap. */
  #refused = false;
  #bytes = 0;
  #idle: NodeJS.Timeout | undefined;

  /** A buffer of so many bytes has come, of those that will be dead soon. */
  expect(bytes: number): void {
    if (bytes < LARGE || this.#refused) return;
    this.#bytes += bytes;
    if (this.#bytes < STEP) return;
    this.#bytes = 0;
    this.#ballast?.transfer(0);
    this.#ballast = ballast();
    this.#refused = this.#ballast === undefined;
    this.#idle = this.#idle?.refresh() ?? setTimeout(() => this.#leave(), IDLE).unref();
  }

  #leave(): void {
    this.#ballast?.transfer(0);
    this.#ballast = undefined;
    this.#idle = undefined;
  }
}

/** V8 counts for the process as a whole. */
export const earlyCollection = new EarlyCollection();
