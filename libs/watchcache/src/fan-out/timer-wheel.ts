import type { Clock } from '@orch/runtime/clock';

/** An item with a deadline (monotonic ms), in which the wheel keeps its slot. */
export interface Due {
  due: number;
  slot: number;
}

const TICK = 100;
const SLOTS = 1024;

/**
 * A single timer for many deadlines: those in the same tick share a slot, those beyond the wheel's turn are checked once a
 * turn. A deadline is met up to a tick late.
 */
export class TimerWheel<Item extends Due> {
  readonly #slots: (Set<Item> | undefined)[] = new Array<Set<Item> | undefined>(SLOTS).fill(undefined);
  #tick: number;
  #size = 0;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly fire: (item: Item) => void,
  ) {
    this.#tick = Math.floor(clock.now() / TICK);
  }

  get size(): number {
    return this.#size;
  }

  /** Sets or moves an item's deadline. */
  schedule(item: Item, due: number): void {
    this.remove(item);
    item.due = due;
    const now = Math.floor(this.clock.now() / TICK);
    if (this.#size === 0) this.#tick = now;
    item.slot = Math.max(Math.ceil(due / TICK), this.#tick + 1) % SLOTS;
    let slot = this.#slots[item.slot];
    if (slot === undefined) {
      slot = new Set();
      this.#slots[item.slot] = slot;
    }
    slot.add(item);
    this.#size++;
    this.#cancel ??= this.clock.after(TICK, () => this.#turn());
  }

  remove(item: Item): void {
    if (item.slot < 0) return;
    if (this.#slots[item.slot]?.delete(item) === true) this.#size--;
    item.slot = -1;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #turn(): void {
    this.#cancel = undefined;
    const now = this.clock.now();
    const end = Math.floor(now / TICK);
    // After a long pause of the process one turn visits every slot.
    this.#tick = Math.max(this.#tick, end - SLOTS);
    while (this.#tick < end) {
      this.#tick++;
      for (const item of [...(this.#slots[this.#tick % SLOTS] ?? [])]) {
        if (item.due > now) continue;
        this.remove(item);
        this.fire(item);
      }
    }
    if (this.#size > 0) this.#cancel ??= this.clock.after(TICK, () => this.#turn());
  }
}
