import { Slices } from '@orch/runtime/work';
import type { Change } from '@orch/storage';

/**
 * Changes that have been received and not been applied yet. Takes turns with others: many large objects that change at
 * once take long to read.
 */
export class PendingChanges {
  /** In their order. */
  #received: Change[] = [];
  /** Set while others have their turn before the next of it. */
  #pause: Promise<void> | undefined;

  /** @param apply applies some changes, in their order */
  constructor(private readonly apply: (changes: Iterable<Change>) => void) {}

  /** Resolves when everything is applied that has been received; undefined where it is. */
  get applied(): Promise<void> | undefined {
    return this.#pause;
  }

  /** Applies changes behind those that were received before. */
  add(changes: readonly Change[]): void {
    this.#received = [...this.#received, ...changes];
    if (!this.#pause) this.#applySome();
  }

  /** Forgets what is not applied yet. */
  clear(): void {
    this.#received = [];
  }

  #applySome(): void {
    this.apply(this.#slice());
    if (!this.#pause) this.#received = [];
  }

  /** Yields what can be applied in this turn. */
  *#slice(): Iterable<Change> {
    const slices = new Slices();
    for (const [at, change] of this.#received.entries()) {
      const pause = slices.between();
      if (pause) {
        this.#received = this.#received.slice(at);
        this.#pause = pause.then(() => {
          this.#pause = undefined;
          this.#applySome();
        });
        return;
      }
      yield change;
    }
  }
}
