import { Slices } from '@orch/runtime/work';

/**
 * Changes of the state that decisions are made by: in their order, not during a decision, and in turns with other work,
 * as a list of many pods holds tens of thousands of them.
 */
export class ClusterChanges {
  #waiting: (() => void)[] = [];
  /** Whether what comes has to wait: for the end of a decision, or for what is being applied. */
  #isHeld = false;
  /** Set while others have their turn before more is applied. */
  #pause: Promise<void> | undefined;
  /** Time for the changes of one turn of the event loop. */
  #slices: Slices | undefined;
  /** Numbers of changes that have come, and that have been applied or forgotten. */
  readonly #count = { come: 0, done: 0 };

  /** @param onError called with the error of a change, which keeps no other from being applied */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** Resolves when some of what waits is applied; undefined where nothing waits. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /** Resolves when all that waits now is applied, whatever comes meanwhile; undefined where nothing waits. */
  caughtUp(): Promise<void> | undefined {
    return this.#pause && this.#until(this.#count.come);
  }

  /** Applies a change, now or when it is its turn. */
  add(change: () => void): void {
    this.#waiting.push(change);
    this.#count.come++;
    if (this.#pause || this.#isHeld) return;
    this.#slices ??= this.#slicesOfTurn();
    this.#apply(this.#slices);
  }

  /** Holds back what waits, and what comes from now on. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Applies what was held back. */
  release(): void {
    this.#isHeld = false;
    if (!this.#pause) this.#apply(new Slices());
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
    this.#count.done = this.#count.come;
  }

  async #until(count: number): Promise<void> {
    while (this.#pause && this.#count.done < count) await this.#pause;
  }

  #apply(slices: Slices): void {
    const changes = this.#waiting;
    let at = 0;
    this.#isHeld = true;
    for (; at < changes.length; at++) {
      this.#pause = slices.between()?.then(() => {
        this.#pause = undefined;
        if (!this.#isHeld) this.#apply(slices);
      });
      if (this.#pause) break;
      this.#call(changes[at]);
    }
    this.#isHeld = false;
    this.#waiting = changes.slice(at);
  }

  #call(change: (() => void) | undefined): void {
    this.#count.done++;
    try {
      change?.();
    } catch (error) {
      this.onError(error);
    }
  }

  #slicesOfTurn(): Slices {
    setImmediate(() => {
      this.#slices = undefined;
    });
    return new Slices();
  }
}
