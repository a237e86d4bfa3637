import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { ApiObject, StatusObject } from './api.js';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

/** A watch as a client sees it: events in the order of their coming. */
export class WatchStream {
  readonly status: number;
  readonly #message: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #text = '';
  #ended = false;

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0;
    this.#message = message;
    message.setEncoding('utf8');
    message.on('data', (text: string) => this.#receive(text));
    message.on('close', () => {
      this.#ended = true;
    });
    message.on('error', () => {
      this.#ended = true;
    });
  }

  /** The next event; undefined when the stream ends first. */
  async next(): Promise<WatchEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      await Promise.race([once(this.#message, 'event'), once(this.#message, 'close')]);
    }
    return this.#events.shift();
  }

  /** The next so many events, fewer if the stream ends first. */
  async take(count: number): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (!event) break;
      taken.push(event);
    }
    return taken;
  }

  /** Events up to and with the first for which `last` holds. */
  async until(last: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) {
      taken.push(event);
      if (last(event)) break;
    }
    return taken;
  }

  /** Everything that comes before the server ends the stream. */
  rest(): Promise<WatchEvent[]> {
    return this.until(() => false);
  }

  /** The body of a refusal. */
  async refusal(): Promise<StatusObject> {
    if (!this.#ended) await once(this.#message, 'close');
    return JSON.parse(this.#text) as StatusObject;
  }

  close(): void {
    this.#message.destroy();
  }

  #receive(text: string): void {
    this.#text += text;
    if (this.status !== 200) return;
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) this.#events.push(JSON.parse(line) as WatchEvent);
    if (lines.length > 0) this.#message.emit('event');
  }
}
