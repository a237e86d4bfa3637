import type { TraceSpan } from '@orch/runtime';

/** Points in time of a request, in order; one that was not reached is 0. */
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

  /** Records that the request has reached a moment now. */
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
   * Milliseconds of each phase of the request: `authenticate`, `receive` (the body), `decode`, `wait` (for the group
   * commit), `commit`, `handle` (everything else until the response), `send`.
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
    // Writes of one request may overlap (deletion of a collection), so that their sum may exceed the duration.
    const before = decoded || received || authenticated;
    const handled = (answering || ended) - before - this.waitedMs - this.committingMs;
    if (before > 0) legs.handle = Math.max(0, handled);
    leg('send', answering, ended);
    return legs;
  }
}
