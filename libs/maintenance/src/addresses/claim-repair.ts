import type { Logger } from '@orch/runtime';
import { type ProcessLease, Rounds } from '@orch/storage';
import type { ClaimCheck, ClaimFindings } from './claim-check.js';

interface ClaimRepairOptions {
  readonly check: Pick<ClaimCheck, 'run'>;
  /** Makes the lease that is held from the first round to the last, milliseconds. */
  readonly lease: (duration: number) => ProcessLease;
  /** Milliseconds between rounds, about. */
  readonly intervalMs: number;
  readonly logger: Logger;
}

/** Intervals after which another process takes over from one that has died. */
const LEASE_INTERVALS = 3;

/**
 * Checks the claims again and again, in one process of the installation: the one that has begun goes on, as it knows since
 * when what was without use.
 */
export class ClaimRepair {
  readonly #rounds: Rounds;
  readonly #lease: ProcessLease;

  constructor(private readonly options: ClaimRepairOptions) {
    const { intervalMs: interval, lease, logger } = options;
    this.#lease = lease(interval * LEASE_INTERVALS);
    this.#rounds = new Rounds(() => this.runOnce(), { interval, random: Math.random });
    this.#rounds.onFailure((error) => logger.error('check of addresses and node ports', error));
  }

  start(): void {
    this.#rounds.start();
  }

  /** Ends after the round under way, and lets another process go on. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.#lease.giveBack().catch(() => undefined);
  }

  /** @returns undefined when it is another process's turn; @throws StoreUnavailableError */
  async runOnce(): Promise<ClaimFindings | undefined> {
    return (await this.#lease.take()) ? this.options.check.run() : undefined;
  }
}
