import type { Clock } from '@orch/runtime/clock';
import type { Version } from '@orch/storage';

interface Waiter {
  readonly version: Version;
  readonly settle: (reached: boolean) => void;
}

/** Callers that wait for a version, each until its deadline. */
export class VersionWaiters {
  readonly #waiters = new Set<Waiter>();

  constructor(private readonly clock: Clock) {}

  /** True once the version is reached; false at the deadline (monotonic ms), or when closed. */
  wait(version: Version, deadline: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(Math.max(0, deadline - this.clock.now()), () => waiter.settle(false));
      const waiter: Waiter = {
        version,
        settle: (reached) => {
          cancel();
          this.#waiters.delete(waiter);
          resolve(reached);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  reached(version: Version): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of [...this.#waiters]) {
      if (waiter.version <= version) waiter.settle(true);
    }
  }

  close(): void {
    for (const waiter of [...this.#waiters]) waiter.settle(false);
  }
}
