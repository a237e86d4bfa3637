import type { Clock } from '@orch/runtime';
import type { EventRecord } from '../events/event.js';
import type { AuditBackend, AuditSink, LostEvents } from './backend.js';
import { flush } from './flush.js';

/** How requests wait. */
interface BlockingSettings {
  /** Whether a failure to write an event fails the request. */
  readonly strict: boolean;
  /** Maximum memory of events being written, bytes: requests stop waiting, but their events are still written. */
  readonly bufferBytes: number;
}

/**
 * Delays requests until their events are written. While a sink accepts nothing the buffer fills up: then requests are
 * refused, strict or not, so that none go unrecorded because they are many.
 */
export class BlockingBackend implements AuditBackend {
  readonly #underWay = new Set<Promise<boolean>>();
  #bytes = 0;

  constructor(
    private readonly sink: AuditSink,
    private readonly settings: BlockingSettings,
    private readonly lost: LostEvents,
    private readonly clock: Clock,
  ) {}

  submit(event: EventRecord): Promise<boolean> {
    const { weight } = event;
    if (this.#bytes + weight > this.settings.bufferBytes) {
      this.lost(this.sink.name, 1, new Error('audit events wait to be written, and there is no room for more'));
      return Promise.resolve(false);
    }
    this.#bytes += weight;
    const written = this.#write(event);
    this.#underWay.add(written);
    void written.then(() => {
      this.#underWay.delete(written);
      this.#bytes -= weight;
    });
    return written;
  }

  async #write(event: EventRecord): Promise<boolean> {
    try {
      await this.sink.write([event]);
      return true;
    } catch (error) {
      this.lost(this.sink.name, 1, error);
      return !this.settings.strict;
    }
  }

  async close(deadline?: AbortSignal): Promise<void> {
    await flush(Promise.all(this.#underWay), this.clock, deadline);
    await this.sink.close();
  }
}
