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
  readonly #waiting = new Set<() => void>();
  #text = '';
  #ended = false;

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0;
    this.#message = message;
    message.setEncoding('utf8');
    message.on('data', (text: string) => this.#receive(text));
    message.on('close', () => this.#end());
    message.on('error', () => this.#end());
  }

  /** Whether the connection is gone; events that came before may still be there. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the server ended it in order, where it has ended. */
  get isWhole(): boolean {
    return this.#message.complete;
  }

  /** The next event; undefined when the stream ends first. */
  async next(): Promise<WatchEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) await this.#news();
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
    while (!this.#ended) await this.#news();
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
    if (lines.length > 0) this.#wake();
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Resolves when something has come, or the end. */
  #news(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
