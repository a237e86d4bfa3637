import { type Clock, sleep } from '@orch/runtime';
import { TokenBucket } from '@orch/runtime/work';
import type { EventRecord } from '../events/event.js';
import type { AuditBackend, AuditSink, LostEvents } from './backend.js';
import { flush } from './flush.js';

/** Settings of batches. */
export interface BatchSettings {
  /** Maximum number of waiting events; more are lost. */
  readonly bufferSize: number;
  /** Maximum memory of waiting events, bytes; more are lost. */
  readonly bufferBytes: number;
  /** Events of one batch. */
  readonly maxSize: number;
  /** Milliseconds that an incomplete batch waits for more. */
  readonly maxWaitMs: number;
  /** Batches per second, and the burst; absent for no limit. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  /** Concurrent writes of batches. */
  readonly concurrency: number;
}

const NAME = 'buffered';

/**
 * Accepts events at once and writes them later, in batches: a slow sink delays no request, and loses events beyond the
 * buffer.
 */
export class BatchingBackend implements AuditBackend {
  #waiting: EventRecord[] = [];
  #bytes = 0;
  #closing = false;
  #wake: () => void = () => undefined;
  /** Number of batches being written. */
  #writing = 0;
  #oneWritten: () => void = () => undefined;
  readonly #bucket: TokenBucket | undefined;
  readonly #done: Promise<void>;

  constructor(
    private readonly sink: AuditSink,
    private readonly settings: BatchSettings,
    private readonly lost: LostEvents,
    private readonly clock: Clock,
  ) {
    this.#bucket =
      settings.throttle && new TokenBucket(settings.throttle.qps, settings.throttle.burst, () => clock.now());
    this.#done = this.#run();
  }

  submit(event: EventRecord): undefined {
    const { bufferSize, bufferBytes, maxSize } = this.settings;
    if (this.#closing) return this.lost(NAME, 1, new Error('audit backend shut down')) as undefined;
    if (this.#waiting.length >= bufferSize || this.#bytes + event.weight > bufferBytes)
      return this.lost(NAME, 1, new Error('audit buffer queue blocked')) as undefined;
    this.#waiting.push(event);
    this.#bytes += event.weight;
    if (this.#waiting.length === 1 || this.#waiting.length === maxSize) this.#wake();
    return undefined;
  }

  async close(deadline?: AbortSignal): Promise<void> {
    this.#closing = true;
    this.#wake();
    await flush(this.#done, this.clock, deadline);
    await this.sink.close();
    const left = this.#waiting.length;
    this.#waiting = [];
    if (left > 0) this.lost(NAME, left, new Error('audit backend shut down'));
  }

  async #run(): Promise<void> {
    const { maxSize, maxWaitMs, concurrency } = this.settings;
    for (;;) {
      if (this.#waiting.length === 0) {
        if (this.#closing) break;
        await this.#woken();
        continue;
      }
      if (maxSize > 1 && this.#waiting.length < maxSize && !this.#closing) await this.#woken(maxWaitMs);
      if (!this.#closing) await this.#turn();
      this.#write(this.#next());
      if (this.#writing >= concurrency) await this.#written();
    }
    while (this.#writing > 0) await this.#written();
  }

  /** Resolves when there is work, or after so many milliseconds. */
  #woken(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === undefined ? () => undefined : this.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #next(): readonly EventRecord[] {
    const batch = this.#waiting.splice(0, this.settings.maxSize);
    for (const { weight } of batch) this.#bytes -= weight;
    return batch;
  }

  #write(batch: readonly EventRecord[]): void {
    if (batch.length === 0) return;
    this.#writing++;
    this.sink.write(batch).then(
      () => this.#leave(),
      (error: unknown) => {
        this.lost(this.sink.name, batch.length, error);
        this.#leave();
      },
    );
  }

  #leave(): void {
    this.#writing--;
    this.#oneWritten();
  }

  /** Resolves when the rate allows another batch. */
  async #turn(): Promise<void> {
    const ms = this.#bucket?.reserve() ?? 0;
    if (ms > 0) await sleep(this.clock, ms);
  }

  /** Resolves when the next write has ended. */
  #written(): Promise<void> {
    return new Promise((resolve) => {
      this.#oneWritten = resolve;
    });
  }
}
