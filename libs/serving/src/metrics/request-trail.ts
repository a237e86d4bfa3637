import type { TraceSpan } from '@orch/runtime';

/** Moments of a request, in their order; one that it never came to keeps 0. */
type Moment = 'authenticated' | 'received' | 'decoded' | 'answering' | 'ended';

/** Where the time of a request went. Monotonic milliseconds. */
export class RequestTrail {
  /** Caller and right are settled. */
  authenticated = 0;
  /** The whole body is here. */
  received = 0;
  /** The body is an object, or a patch that can be applied. */
  decoded = 0;
  /** What to answer is settled, its head goes out. */
  answering = 0;
  /** The answer has been given, as far as this process is concerned. */
  ended = 0;
  /** Writes that the database has decided, and the time that they waited for a batch and were in one. */
  writes = 0;
  /** Milliseconds that these writes waited for a batch. */
  waitedMs = 0;
  /** Milliseconds that their batches took to commit. */
  committingMs = 0;
  /** Bytes of the answer's body. */
  bytes = 0;
  /** Set when the request is traced. */
  span: TraceSpan | undefined;

  /** @param began when the request arrived, monotonic milliseconds */
  constructor(readonly began = performance.now()) {}

  /** Records that a moment has been reached now. */
  mark(moment: Moment): void {
    this[moment] = performance.now();
  }

  /** A batch with a write of this request has come back. */
  wrote(waitedMs: number, committingMs: number): void {
    this.writes++;
    this.waitedMs += waitedMs;
    this.committingMs += committingMs;
  }

  /**
   * Milliseconds of each leg that the request came to: `authenticate`, `receive` (the body), `decode`, `wait` (for the
   * group commit), `commit`, `handle` (everything else until the answer), `send`.
   */
  legs(ended: number): Record<string, number> {
    const { began, authenticated, received, decoded, answering } = this;
    const legs: Record<string, number> = {};
    const leg = (name: string, from: number, to: number): void => {
      if (from > 0 && to > 0) legs[name] = to - from;
    };
    leg('authenticate', began, authenticated);
    leg('receive', authenticated, received);
    leg('decode', received, decoded);
    if (this.writes > 0) Object.assign(legs, { wait: this.waitedMs, commit: this.committingMs });
    // Writes of one request may overlap (the deletion of a collection), so that there can be less than nothing left.
    const before = decoded || received || authenticated;
    const handled = (answering || ended) - before - this.waitedMs - this.committingMs;
    if (before > 0) legs.handle = Math.max(0, handled);
    leg('send', answering, ended);
    return legs;
  }
}
