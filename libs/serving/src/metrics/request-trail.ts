import type { TraceSpan } from '@orch/runtime';

/** Moments of a request, in their order; one that it never reached keeps 0. */
type Moment = 'authenticated' | 'received' | 'decoded' | 'answering' | 'ended';

/** Timestamps of a request, monotonic milliseconds. */
export class RequestTrail {
  /** Time at which the request was authenticated and authorized. */
  authenticated = 0;
  /** Time at which the whole body had been received. */
  received = 0;
  /** Time at which the body had been decoded to an object or a patch. */
  decoded = 0;
  /** Time at which the response head was sent. */
  answering = 0;
  /** Time at which the response had been handed to the socket. */
  ended = 0;
  /** Number of writes that the database has committed or rejected. */
  writes = 0;
  /** Milliseconds that these writes waited for a batch. */
  waitedMs = 0;
  /** Milliseconds that their batches took to commit. */
  committingMs = 0;
  /** Bytes of the answer's body. */
  bytes = 0;
  /** Span of the request; undefined where it is not traced. */
  span: TraceSpan | undefined;

  /** @param began when the request arrived, monotonic milliseconds */
  constructor(readonly began = performance.now()) {}

  /** Records that a moment has been reached now. */
  mark(moment: Moment): void {
    this[moment] = performance.now();
  }

  /** Records a write of this request whose batch has returned. */
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
