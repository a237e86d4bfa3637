import { DatabaseError } from 'pg';
import { StoreUnavailableError } from '../face/errors.js';

/** A connection broke or did not answer; the statement under way may or may not have taken effect. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}

/** The server was silent for longer than the limit. */
export class NoAnswerError extends ConnectionLostError {
  constructor() {
    super('the database did not answer in time');
  }
}

/** A statement took longer than it may: a smaller one may get through. */
export class TookTooLongError extends StoreUnavailableError {}

/** The server ended a statement, as it took longer than `statement_timeout`. */
const CANCELLED = '57014';

/** SQLSTATEs after which the same transaction may simply be tried again: it is certain that it was rolled back. */
const RETRIABLE = new Set(['40001', '40P01']);

/** Classes and codes of "the server cannot do this now", with nothing applied. */
const REFUSED = /^(53|58|40|25006$|25P03$|55P03$|57P03$|57P04$)/;

/** Sessions can end with these after their commit too (while waiting for a standby), so they leave the outcome open. */
const CUT = /^(08|57P01$|57P02$|57P05$)/;

export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function isRetriable(error: unknown): boolean {
  return RETRIABLE.has(sqlState(error) ?? '');
}

/** Whether the connection that reported this must not be used again. */
export function breaksConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || CUT.test(state) || /^(25006|57P0|25P03|XX)/.test(state);
}

/**
 * Translates a failure of the database for callers: a {@link StoreUnavailableError} for everything transient, the error
 * itself for the rest (a bug, or a broken database).
 * @param writing whether a write was in progress, whose outcome a lost connection leaves unknown
 */
export function toStoreError(error: unknown, writing: boolean): Error {
  if (error instanceof StoreUnavailableError) return error;
  const state = sqlState(error);
  if (error instanceof NoAnswerError) return new TookTooLongError(error.message, writing, { cause: error });
  if (state === CANCELLED) return new TookTooLongError(refusalOf(error), false, { cause: error });
  if (error instanceof ConnectionLostError || (state !== undefined && CUT.test(state))) {
    return new StoreUnavailableError('the connection to the database was lost', writing, { cause: error });
  }
  if (state !== undefined && REFUSED.test(state)) {
    return new StoreUnavailableError(refusalOf(error), false, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}

const refusalOf = (error: unknown): string => `the database refused: ${(error as Error).message}`;
