import type { Logger } from '@orch/runtime';
import type { ClaimEvents } from './claim-events.js';
import { type ClaimFinding, idOf } from './claim-finding.js';

interface ClaimTellerOptions {
  /** Writes Events; undefined if Events are not served. */
  readonly events: Pick<ClaimEvents, 'tell'> | undefined;
  /** Counts a finding. */
  readonly count: (finding: ClaimFinding) => void;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Counts each finding at once, and writes the Events about them one after another, however many one round finds, so
 * that requests get their share of the database.
 */
export class ClaimTeller {
  /** Findings whose Events are not written yet, by identity. */
  readonly #waiting = new Map<string, ClaimFinding>();
  #writing: Promise<void> | undefined;

  constructor(private readonly options: ClaimTellerOptions) {}

  /** Counts a finding and queues its Event; returns immediately. */
  tell(finding: ClaimFinding): void {
    this.options.count(finding);
    if (!this.options.events) return;
    this.#waiting.set(idOf(finding), finding);
    this.#writing ??= this.#writeAll(this.options.events);
  }

  /**
   * Stops writing Events. Resolves when the write in progress has ended; the next process that runs the check finds the
   * others again.
   */
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
        // The namespace may be terminating, or the database unavailable: the finding is also in the log.
        this.options.logger.error('an event about an address or node port could not be written', error);
      }
    }
    this.#writing = undefined;
  }
}
