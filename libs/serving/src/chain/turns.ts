import type { OpenContext } from './new-context.js';

/** A request's leave to be carried out. */
export interface Turn {
  /** Whether it is bound by nothing. */
  readonly isExempt: boolean;
  /** It is over, and another may be carried out. */
  leave(): void;
}

/** Whose turn it is: decides when a request is carried out, or that it is not. */
export interface Turns {
  /** Whether a request is bound by nothing. */
  isExempt(ctx: OpenContext): boolean;
  /** @returns undefined for a request that is refused: there is no room, or there was none in time */
  take(ctx: OpenContext): Turn | undefined | Promise<Turn | undefined>;
  /** The same for one that had its turn, and gave it back in the middle of its answer: as many seats, and no request more. */
  takeAgain(ctx: OpenContext): Turn | undefined | Promise<Turn | undefined>;
}

/** Requests that change something, and all others. */
export type RequestKind = 'mutating' | 'readOnly';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** Returns whether a request only reads or may change something, by its verb. */
export const kindOf = ({ info }: Pick<OpenContext, 'info'>): RequestKind =>
  READS.has(info.verb) ? 'readOnly' : 'mutating';
