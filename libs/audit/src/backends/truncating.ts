import type { EventRecord } from '../events/event.js';
import type { AuditSink, LostEvents } from './backend.js';

/** Limits of the JSON size, bytes. */
export interface TruncateSettings {
  /** Bytes of an event. */
  readonly maxEventSize: number;
  /** Bytes of the events that are written together. */
  readonly maxBatchSize: number;
}

const NAME = 'truncate';

/** Removes the bodies of events that are too large, drops those that are too large even so, and divides batches. */
export class TruncatingSink implements AuditSink {
  readonly name: string;

  constructor(
    private readonly sink: AuditSink,
    private readonly settings: TruncateSettings,
    private readonly lost: LostEvents,
  ) {
    this.name = sink.name;
  }

  async write(events: readonly EventRecord[]): Promise<void> {
    const { maxBatchSize } = this.settings;
    let batch: EventRecord[] = [];
    let size = 0;
    for (const event of events) {
      const fitting = this.#fitted(event);
      if (!fitting) continue;
      const bytes = Buffer.byteLength(fitting.json);
      if (batch.length > 0 && size + bytes > maxBatchSize) {
        await this.sink.write(batch);
        [batch, size] = [[], 0];
      }
      batch.push(fitting);
      size += bytes;
    }
    if (batch.length > 0) await this.sink.write(batch);
  }

  #fitted(event: EventRecord): EventRecord | undefined {
    const { maxEventSize } = this.settings;
    const fits = ({ json }: EventRecord) => Buffer.byteLength(json) <= maxEventSize;
    if (fits(event)) return event;
    const { level } = event.event;
    const shorter = level === 'Request' || level === 'RequestResponse' ? event.truncated() : event;
    if (fits(shorter)) return shorter;
    this.lost(NAME, 1, new Error('event is too large even after truncating'));
    return undefined;
  }

  close(): Promise<void> {
    return this.sink.close();
  }
}
