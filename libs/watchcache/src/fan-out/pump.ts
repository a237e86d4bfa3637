import type { Clock } from '@orch/runtime/clock';

/** State of an item after a step of work on it: more to do at once, or rest. */
export type StepResult = 'more' | 'rest';

interface Queued {
  queued: boolean;
}

/** Milliseconds of work in one turn of the event loop. */
const BUDGET = 4;

/** Works on many streams in turns, a step each, so that many starve neither one of them nor the event loop. */
export class Pump<Item extends Queued> {
  #queue: Item[] = [];
  #scheduled = false;

  constructor(
    private readonly clock: Clock,
    private readonly step: (item: Item) => StepResult,
  ) {}

  add(item: Item): void {
    if (item.queued) return;
    item.queued = true;
    this.#queue.push(item);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.clock.soon(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    const end = this.clock.now() + BUDGET;
    let queue = this.#queue;
    this.#queue = [];
    while (queue.length > 0) {
      const again: Item[] = [];
      for (const [index, item] of queue.entries()) {
        if (this.clock.now() > end) {
          this.#queue = [...queue.slice(index), ...again, ...this.#queue];
          this.#schedule();
          return;
        }
        item.queued = false;
        if (this.step(item) === 'more' && !item.queued) {
          item.queued = true;
          again.push(item);
        }
      }
      queue = again;
    }
  }
}
