import type { EventType } from './history.js';

export interface SeenEvent {
  readonly type: EventType;
  readonly version: number;
  readonly print: string;
  /** When the first watcher received it, monotonic ms. */
  readonly firstSeen: number;
}

/** Every distinct event of one kind once: hundreds of watchers receive the same ones, and each remembers a number. */
export class EventTable {
  readonly #ids = new Map<string, number>();
  readonly #events: SeenEvent[] = [];

  add(type: EventType, version: number, print: string, now: number): number {
    const text = `${type} ${version} ${print}`;
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#events.length;
      this.#ids.set(text, id);
      this.#events.push({ type, version, print, firstSeen: now });
    }
    return id;
  }

  get(id: number): SeenEvent {
    const event = this.#events[id];
    if (event === undefined) throw new RangeError(`no event ${id}`);
    return event;
  }

  all(): readonly SeenEvent[] {
    return this.#events;
  }
}
