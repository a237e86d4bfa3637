/** External memory that V8 lets grow before it looks for garbage (`kExternalAllocationSoftLimit`). */
const LET_BY_V8 = 64 << 20;
/** External memory to allow instead. */
const LET = 24 << 20;
/** Size of the ballast, which malloc neither caches nor zeroes by hand: none of its pages is ever resident. */
const BALLAST = LET_BY_V8 - LET;
/** Least size of a buffer that counts: with smaller ones only, V8 has other reasons to collect before they are many. */
const LARGE = 32 << 10;
/** Bytes after which the ballast is released and taken again: V8 may have collected since. */
const STEP = 2 << 20;
/** Milliseconds without large buffers after which V8 is left to itself. */
const IDLE = 2_000;

/** Undefined when the kernel does not overcommit memory: V8 has then paused the process, to look for garbage. */
function ballast(): ArrayBuffer | undefined {
  try {
    return new ArrayBuffer(BALLAST);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/**
 * Makes V8 collect dead buffers sooner while many are being allocated: where bodies of a MB each pass through, garbage
 * that V8 has not collected yet is most of a process's memory. V8 compares the memory outside of its heap with the
 * least amount since its last collection. Releasing a ballast for a moment lowers that least amount by its size, so V8
 * reaches its limit sooner. It then marks incrementally, as it always does, where an explicit call of the collector
 * would stop the process.
 */
export class EarlyCollection {
  #ballast: ArrayBuffer | undefined;
  /** The ballast could not be allocated once: trying again might pause the process each time for a full collection. */
  #refused = false;
  #bytes = 0;
  #idle: NodeJS.Timeout | undefined;

  /** Announces a buffer of this many bytes that will soon be garbage. */
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

/** Shared, as V8 counts for the process as a whole. */
export const earlyCollection = new EarlyCollection();
