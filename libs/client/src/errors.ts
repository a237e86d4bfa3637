import { REASON_CODE, type Reason, type Status } from '@orch/machinery';

/** The server refused: what its `Status` says. Answers that are no Status are given one after their HTTP code. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** Status as the server sent it, or made from the HTTP code; must not be changed. */
    readonly status: Status,
    /** Value of the `Retry-After` header, ms. */
    readonly retryAfterMs?: number,
  ) {
    super(status.message ?? `the server answered ${status.code}`);
  }

  /** The HTTP status. */
  get code(): number {
    return this.status.code;
  }

  /** Machine-readable, such as `NotFound`; empty when the server gave none. */
  get reason(): string {
    return this.status.reason ?? '';
  }

  /** From an HTTP answer that is not a success. `retryAfter` is the header's value: seconds. */
  static fromResponse(code: number, body: string, retryAfter?: string): ApiError {
    const seconds = retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    return new ApiError(readStatus(body) ?? synthesize(code, body), seconds === undefined ? undefined : seconds * 1000);
  }

  /** From the object of an `ERROR` event. */
  static fromEvent(object: unknown): ApiError {
    return new ApiError(isStatus(object) ? object : synthesize(500, JSON.stringify(object) ?? ''));
  }
}

/** No answer, or not a whole one: connection refused, reset, timed out, cut. Whether a write took effect is unknown. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError';
}

/** There are no credentials to send: a plugin or a file gave none. The request was not made. The message holds no secrets. */
export class CredentialsError extends TransportError {
  override readonly name = 'CredentialsError';
}

/** Whether the server refused for one of these reasons: `hasReason(error, 'NotFound')`. */
export const hasReason = (thrown: unknown, ...reasons: readonly Reason[]): thrown is ApiError =>
  thrown instanceof ApiError && reasons.some((reason) => reason === thrown.reason);

/** Whether the history or the page that was asked for is gone: clear what is held, list again. */
export const isExpired = (thrown: unknown): thrown is ApiError => thrown instanceof ApiError && thrown.code === 410;

/** Whether the version asked for is one that the server has not reached, or never will after a restore. */
export const isVersionTooLarge = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError &&
  (thrown.status.details?.causes ?? []).some(({ reason }) => reason === 'ResourceVersionTooLarge');

/** Whether trying the same again later may help: no answer, too many requests, or a failure on the server's side. */
export const isTransient = (thrown: unknown): boolean =>
  thrown instanceof TransportError || (thrown instanceof ApiError && (thrown.code === 429 || thrown.code >= 500));

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status' && 'code' in value;
}

function readStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How much of an answer that is no Status goes into its message. */
const EXCERPT = 200;

function synthesize(code: number, body: string): Status {
  const reason = Object.entries(REASON_CODE).find(([, known]) => known === code)?.[0];
  const message = `the server answered ${code}: ${body.slice(0, EXCERPT).trim()}`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason && { reason }),
    code,
  };
}
