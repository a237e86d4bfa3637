import { REASON_CODE, type Reason, type Status } from '@orch/machinery';

/** Thrown when the server refuses, with its `Status`. For answers without one it is made from the HTTP code. */
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

  /** Makes the error of an unsuccessful HTTP answer. `retryAfter` is the header's value: seconds. */
  static fromResponse(code: number, body: string, retryAfter?: string): ApiError {
    const seconds = retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    return new ApiError(readStatus(body) ?? synthesize(code, body), seconds === undefined ? undefined : seconds * 1000);
  }

  /** Makes the error of an `ERROR` event. */
  static fromEvent(object: unknown): ApiError {
    return new ApiError(isStatus(object) ? object : synthesize(500, JSON.stringify(object) ?? ''));
  }
}

/**
 * Thrown when no complete answer arrives: connection refused, reset, timed out, cut. Whether a write took effect is
 * unknown.
 */
export class TransportError extends Error {
  override readonly name: string = 'TransportError';
}

/** Thrown when a plugin or a file gives no credentials. The request was not made. The message contains no secrets. */
export class CredentialsError extends TransportError {
  override readonly name = 'CredentialsError';
}

/** Whether the server refused for one of these reasons: `hasReason(error, 'NotFound')`. */
export const hasReason = (thrown: unknown, ...reasons: readonly Reason[]): thrown is ApiError =>
  thrown instanceof ApiError && reasons.some((reason) => reason === thrown.reason);

/** Whether the requested history or page is gone: the caller should drop its state and list again. */
export const isExpired = (thrown: unknown): thrown is ApiError => thrown instanceof ApiError && thrown.code === 410;

/** Whether the requested version is one that the server has not reached, or never will after a restore. */
export const isVersionTooLarge = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError &&
  (thrown.status.details?.causes ?? []).some(({ reason }) => reason === 'ResourceVersionTooLarge');

/** Whether a later retry may help: no answer, too many requests, or a failure on the server's side. */
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

/** Characters of an answer without a Status that go into the message. */
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
