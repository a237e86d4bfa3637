import type { Logger } from '@orch/runtime';
import type { ClaimEvents } from './claim-events.js';
import { type ClaimFinding, idOf } from './claim-finding.js';

interface ClaimTellerOptions {
  /** Nothing where Events are not served. */
  readonly events: Pick<ClaimEvents, 'tell'> | undefined;
  /** Counts a finding. */
  readonly count: (finding: ClaimFinding) => void;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Counts each finding at once, and writes the Events about them one after another, however many are found in one round:
 * requests have the database in between.
 */
export class ClaimTeller {
  /** What is not written yet, each finding once. */
  readonly #waiting = new Map<string, ClaimFinding>();
  #writing: Promise<void> | undefined;

  constructor(private readonly options: ClaimTellerOptions) {}

  /** Waits for nothing. */
  tell(finding: ClaimFinding): void {
    this.options.count(finding);
    if (!this.options.events) return;
    this.#waiting.set(idOf(finding), finding);
    this.#writing ??= this.#writeAll(this.options.events);
  }

  /** Writes no more Events. Resolves when the one under way is over; who takes over the check finds the others again. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await this.#writing;
  }

  async #writeAll(events: Pick<ClaimEvents, 'tell'>): Promise<void> {
    for (const [id, finding] of this.#waiting) {
      this.#waiting.delete(id);
      try {
        await events.tell(finding);
      } catch (error) {
        // The namespace may be on its way out, or the database: the finding is in the log, too.
        this.options.logger.error('event about an address or node port', error);
      }
    }
    this.#writing = undefined;
  }
}
