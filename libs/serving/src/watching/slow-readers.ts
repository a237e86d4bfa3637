import type { Clock } from '@orch/runtime';
import { nameOfSocket, type SendQueue, sendQueues } from '../sockets/tcp-table.js';
import type { WatchOutput, WatchOutputs } from './watch-output.js';

interface SlowReadersSettings {
  readonly clock: Clock;
  /** Milliseconds for which a stream that has stalled is kept. */
  readonly maxStallMs: number;
  /** Called when the state of the connections could not be read. */
  readonly onError: (error: unknown) => void;
  /** Default: read from the kernel's tables. */
  readonly queues?: () => AsyncIterable<SendQueue>;
}

/** Number of checks within the time that a stream may stall: it is ended late by one interval at most. */
const CHECKS = 9;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Distinguishes clients that read slowly from those that do not read. The kernel buffers megabytes for a connection,
 * and accepts no more from this process before a third of them are read: at 10 kB a second that takes minutes. Its
 * buffer shrinks meanwhile, which shows in its tables; they are read while watches are stalled. Without such tables a
 * client has to read as fast as before.
 */
export class SlowReaders {
  readonly #settings: Required<SlowReadersSettings>;
  #held: ReadonlyMap<WatchOutput, number> = new Map();
  #looking = false;

  constructor(
    private readonly outputs: WatchOutputs,
    settings: SlowReadersSettings,
  ) {
    this.#settings = { queues: sendQueues, ...settings };
    outputs.onStall = () => this.#lookLater();
  }

  #lookLater(): void {
    if (this.#looking) return;
    this.#looking = true;
    const { clock, maxStallMs, onError } = this.#settings;
    clock.after(Math.min(LONGEST_PAUSE_MS, maxStallMs / CHECKS), () => {
      void this.#look()
        .catch(onError)
        .finally(() => {
          this.#looking = false;
          for (const _stalled of this.outputs.stalled()) return this.#lookLater();
        });
    });
  }

  async #look(): Promise<void> {
    const stalled = new Map<string, WatchOutput>();
    for (const output of this.outputs.stalled()) if (output.socket) stalled.set(nameOfSocket(output.socket), output);
    const held = new Map<WatchOutput, number>();
    if (stalled.size > 0) {
      for await (const { name, bytes } of this.#settings.queues()) {
        const output = stalled.get(name);
        if (!output) continue;
        held.set(output, bytes);
        const before = this.#held.get(output);
        if (before !== undefined && before !== bytes) output.acknowledged();
      }
    }
    this.#held = held;
  }
}
