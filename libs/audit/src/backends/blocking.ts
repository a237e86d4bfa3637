import type { Clock } from '@orch/runtime';
import type { EventRecord } from '../events/event.js';
import { atMost, FLUSH_MS } from './at-most.js';
import type { AuditBackend, AuditSink, LostEvents } from './backend.js';

/** Has requests wait until each event is written; with `strict`, that it is not counts. */
export class BlockingBackend implements AuditBackend {
  readonly #underWay = new Set<Promise<boolean>>();

  constructor(
    private readonly sink: AuditSink,
    private readonly strict: boolean,
    private readonly lost: LostEvents,
    private readonly clock: Clock,
  ) {}

  submit(event: EventRecord): Promise<boolean> {
    const written = this.#write(event);
    this.#underWay.add(written);
    void written.then(() => this.#underWay.delete(written));
    return written;
  }

  async #write(event: EventRecord): Promise<boolean> {
    try {
      await this.sink.write([event]);
      return true;
    } catch (error) {
      this.lost(this.sink.name, 1, error);
      return !this.strict;
    }
  }

  async close(): Promise<void> {
    await atMost(FLUSH_MS, Promise.all(this.#underWay), this.clock);
    await this.sink.close();
  }
}
