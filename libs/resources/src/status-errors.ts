import { expired, StatusError, timeout, tooManyRequests, unavailable } from '@orch/machinery';
import {
  HistoryExpiredError,
  ReadOnlyStoreError,
  StoreUnavailableError,
  UnreadableBodyError,
  UnreadableChangesError,
  UnreadableListError,
  UnsealableBodyError,
  type Version,
} from '@orch/storage';
import {
  CacheDrainingError,
  CacheNotReadyError,
  ExpiredError,
  InitialBudgetError,
  SelectorBudgetError,
  VersionNotReachedError,
} from '@orch/watchcache';
import { tooLargeVersion } from './version.js';

/** Seconds after which a client may retry when the database has failed. */
const RETRY_SECONDS = 1;

/** 404 for an unknown path, in the words that clients know for paths without an object in them. */
export const unknownPath = () => new StatusError('NotFound', 'the server could not find the requested resource', {});

/** 405 for a path that has other methods. */
export const wrongMethod = () =>
  new StatusError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** 429 for a watch that is refused because the server is shutting down. */
export const shuttingDown = () => tooManyRequests('the server is shutting down, please try again later', RETRY_SECONDS);

/** 429 for a caller that has reached a limit. */
export const tooMany = () => tooManyRequests('Too many requests, please try again later.', RETRY_SECONDS);

/** 413 for a body, or an object, of too many bytes. */
export const tooLarge = (limit: number) =>
  new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);

/**
 * 413 for a body, or an object, of too many values: other requests would wait for it too long, though it has few bytes.
 */
export const tooManyValues = (limit: number) =>
  new StatusError('RequestEntityTooLarge', `Request entity too large: more than ${limit} values`);

/** 406, with the available media types. */
export const notAcceptable = (mediaTypes: readonly string[]) =>
  new StatusError('NotAcceptable', `only the following media types are accepted: ${mediaTypes.join(', ')}`);

/** Converts any thrown value to the Status for the client; the only place where internal errors become responses. */
export function toStatusError(thrown: unknown): StatusError {
  if (thrown instanceof StatusError) return thrown;
  if (thrown instanceof HistoryExpiredError || thrown instanceof ExpiredError) {
    return tooOldVersion(thrown.requested, thrown.floor);
  }
  if (thrown instanceof VersionNotReachedError) return tooLargeVersion(thrown.requested, thrown.current);
  if (thrown instanceof SelectorBudgetError || thrown instanceof InitialBudgetError) return tooMany();
  if (thrown instanceof CacheDrainingError) return shuttingDown();
  if (thrown instanceof CacheNotReadyError) {
    // A failed conversion will not succeed later.
    if (thrown.cause instanceof StatusError) return thrown.cause;
    if (thrown.cause instanceof UnreadableBodyError) return unreadable(thrown.cause, thrown.cause.unnamed);
    return tooManyRequests('the server is not yet ready to answer this request, please try again later', RETRY_SECONDS);
  }
  if (thrown instanceof UnreadableListError) return unreadable(thrown, thrown.unnamed);
  if (thrown instanceof UnreadableBodyError) return unreadable(thrown);
  if (thrown instanceof UnsealableBodyError) return encryptionFailed(thrown);
  if (thrown instanceof ReadOnlyStoreError)
    return unavailable('this server only reads: writes are for an api-server', RETRY_SECONDS);
  if (thrown instanceof UnreadableChangesError) return unreadable(thrown.cause, thrown.cause.unnamed);
  if (thrown instanceof StoreUnavailableError) {
    return thrown.undecided
      ? timeout(
          'the request timed out before the database decided it; it may or may not have been carried out',
          RETRY_SECONDS,
        )
      : unavailable('the database is not available', RETRY_SECONDS);
  }
  return StatusError.from(thrown);
}

/** 500 that says what cannot be encrypted or decrypted, and which key is missing. */
const encryptionFailed = (error: Error, message = error.message): StatusError =>
  because(error, new StatusError('InternalError', `Internal error occurred: ${message}`));

/**
 * Error for an unreadable stored object: 429, so that clients retry by themselves, if the key service does not respond
 * at present.
 */
const unreadable = (error: UnreadableBodyError, message = error.message): StatusError =>
  error.passing ? because(error, tooManyRequests(message, RETRY_SECONDS)) : encryptionFailed(error, message);

function because(error: Error, status: StatusError): StatusError {
  status.cause = error;
  return status;
}

const tooOldVersion = (requested: Version, floor: Version): StatusError =>
  expired(`too old resource version: ${requested} (${floor})`);
