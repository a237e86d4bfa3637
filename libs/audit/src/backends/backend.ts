import type { EventRecord } from '../events/event.js';

/** Destination of events. */
export interface AuditSink {
  /** Name in metrics and messages: `log`, `webhook`. */
  readonly name: string;
  /** Writes events in their order. Rejects when any of them may not have been written. */
  write(events: readonly EventRecord[]): Promise<void>;
  /** Releases its resources. */
  close(): Promise<void>;
}

/** Called for events that were not recorded: by which backend, how many, and why. */
export type LostEvents = (plugin: string, count: number, why: unknown) => void;

/** Receives the events of requests. */
export interface AuditBackend {
  /**
   * Undefined if the caller need not wait; else resolves with whether it was recorded, as far as that matters. Never
   * rejects.
   */
  submit(event: EventRecord): Promise<boolean> | undefined;
  /**
   * Writes pending events, for ten seconds at most; events left then, and later ones, are lost and reported.
   * @param deadline aborts when the time for a clean shutdown is over: pending events have a second more
   */
  close(deadline?: AbortSignal): Promise<void>;
}

/** How a sink affects requests: without waiting, waiting, or failing with it. */
export const MODES = ['batch', 'blocking', 'blocking-strict'] as const;
/** Mode of a backend, of {@link MODES}. */
export type BackendMode = (typeof MODES)[number];
