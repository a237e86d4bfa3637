import type { Logger } from '@orch/runtime';
import type { OwnRun } from '@orch/writing';
import type { ClaimEventSink } from './claim-event-sink.js';
import { type ClaimFinding, idOf } from './claim-finding.js';

interface ClaimEventRecorderOptions {
  /** Writes Events; undefined if Events are not served. */
  readonly events: Pick<ClaimEventSink, 'create'> | undefined;
  /** Counts a finding. */
  readonly count: (finding: ClaimFinding) => void;
  readonly logger: Pick<Logger, 'error'>;
}

/** A finding whose Event is to be written, and the run of the controller that found it. */
interface Recorded {
  readonly finding: ClaimFinding;
  readonly run: OwnRun;
}

/**
 * Counts each finding at once, and writes the Events about them one after another, however many one round finds, so
 * that requests get their share of the database. Nothing is written any more once the run is over that found it: the
 * process that runs the check from then on finds it again.
 */
export class ClaimEventRecorder {
  /** Findings whose Events are not written yet, by identity. */
  readonly #waiting = new Map<string, Recorded>();
  #writing: Promise<void> | undefined;

  constructor(private readonly options: ClaimEventRecorderOptions) {}

  /** Counts a finding and queues its Event; returns immediately. */
  record(finding: ClaimFinding, run: OwnRun): void {
    this.options.count(finding);
    if (!this.options.events) return;
    this.#waiting.set(idOf(finding), { finding, run });
    this.#writing ??= this.#writeAll(this.options.events);
  }

  /** Stops writing Events. Resolves when the write in progress has ended. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await this.#writing;
  }

  async #writeAll(events: Pick<ClaimEventSink, 'create'>): Promise<void> {
    for (const [id, { finding, run }] of this.#waiting) {
      this.#waiting.delete(id);
      if (!run.goesOn) continue;
      try {
        await events.create(finding, run);
      } catch (error) {
        // The namespace may be terminating, or the database unavailable: the finding is also in the log.
        if (run.goesOn) this.options.logger.error('an event about an address or node port could not be written', error);
      }
    }
    this.#writing = undefined;
  }
}
