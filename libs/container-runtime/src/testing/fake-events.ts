import { EventEmitter, on } from 'node:events';
import type { ContainerEvent } from '../containers.js';

/** Events of the double. */
export class FakeEvents {
  readonly #emitter = new EventEmitter({ captureRejections: false }).setMaxListeners(0);

  /** Sends an event to all who follow. */
  emit(event: ContainerEvent): void {
    this.#emitter.emit('event', event);
  }

  /** Yields the events from now on, until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<ContainerEvent> {
    // Listening begins now, and not when the first event is asked for.
    const events = on(this.#emitter, 'event', { signal }) as AsyncIterableIterator<[ContainerEvent]>;
    return untilAborted(events, signal);
  }
}

async function* untilAborted(
  events: AsyncIterable<[ContainerEvent]>,
  signal: AbortSignal,
): AsyncIterable<ContainerEvent> {
  try {
    for await (const [event] of events) yield event;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
