import type { EventRecord } from '../events/event.js';

/** Where events are written. */
export interface AuditSink {
  /** What it is called in metrics and messages: `log`, `webhook`. */
  readonly name: string;
  /** Writes events in their order. Rejects when any of them may not have been written. */
  write(events: readonly EventRecord[]): Promise<void>;
  /** Gives up what it holds. */
  close(): Promise<void>;
}

/** Hears of events that were not recorded: by which part, how many, and why. */
export type LostEvents = (plugin: string, count: number, why: unknown) => void;

/** Takes the events of requests. */
export interface AuditBackend {
  /** Undefined where nobody is to wait for it; else resolves with whether it was recorded, as far as that matters. Never rejects. */
  submit(event: EventRecord): Promise<boolean> | undefined;
  /**
   * Writes what waits, for ten seconds at most; what is left then, and what is submitted later, is lost and told of.
   * @param deadline aborts when the time for an orderly end is over: what waits has a second more
   */
  close(deadline?: AbortSignal): Promise<void>;
}

/** How requests and a sink go together: without waiting, waiting, or failing with it. */
export const MODES = ['batch', 'blocking', 'blocking-strict'] as const;
/** One of {@link MODES}. */
export type Mode = (typeof MODES)[number];
