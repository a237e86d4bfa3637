import type { OpenContext } from './new-context.js';

/** The seat of a request that is being executed. */
export interface RequestSeat {
  /** Whether the request is exempt from all limits. */
  readonly isExempt: boolean;
  /** Releases the seat, so that another request may be executed. */
  leave(): void;
}

/** Decides which request is executed next, and which are rejected. */
export interface Turns {
  /** Whether a request is exempt from all limits. */
  isExempt(ctx: OpenContext): boolean;
  /**
   * Takes a seat for a request, waiting in a queue if need be.
   * @returns undefined for a request that is rejected, at once or because no seat became free in time
   */
  take(ctx: OpenContext): RequestSeat | undefined | Promise<RequestSeat | undefined>;
  /**
   * Takes a seat again for a request that gave its seat back in the middle of its response; it is not counted as
   * another request.
   */
  takeAgain(ctx: OpenContext): RequestSeat | undefined | Promise<RequestSeat | undefined>;
}

/** Class of a request: whether it may change something. */
export type RequestKind = 'mutating' | 'readOnly';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** Returns whether a request only reads or may change something, by its verb. */
export const kindOf = ({ info }: Pick<OpenContext, 'info'>): RequestKind =>
  READS.has(info.verb) ? 'readOnly' : 'mutating';
