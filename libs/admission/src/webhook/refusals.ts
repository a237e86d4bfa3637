import { badRequest, type JsonObject, type StatusDetails, StatusError } from '@orch/machinery';
import { internalError } from '../matching/internal-error.js';

/** Thrown where a webhook did not answer, or not so that it could be used; what becomes of the request its failure policy says. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  /**
   * @param webhook its name
   * @param why behind `failed calling webhook "NAME": `
   * @param code that metrics count it under
   */
  constructor(
    webhook: string,
    why: string,
    readonly code: number,
  ) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
  }

  /** What the client is told where failure is not ignored. */
  status(): StatusError {
    return internalError(this.message);
  }
}

/** Thrown where a webhook says no: what it says, as the client is told. */
export class Denied extends Error {
  override readonly name = 'Denied';

  constructor(readonly refusal: StatusError) {
    super(refusal.message);
  }
}

/** The largest code that an answer of HTTP can have. */
const LARGEST_CODE = 999;

/** What a client is told of a denial (k8s.io/apiserver, pkg/admission/plugin/webhook/errors). */
export function denial(webhook: string, status: JsonObject | undefined): Denied {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { code, message, reason, details } = status ?? {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const why = text(message) || text(reason);
  const refusal = new StatusError('BadRequest', why === '' ? `${by} without explanation` : `${by}: ${why}`);
  refusal.status.code = codeOf(code);
  delete refusal.status.reason;
  if (text(reason) !== '') refusal.status.reason = text(reason);
  if (typeof details === 'object' && details !== null && !Array.isArray(details))
    refusal.status.details = details as StatusDetails;
  return new Denied(refusal);
}

function codeOf(code: unknown): number {
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 400) return 400;
  return Math.min(code, LARGEST_CODE);
}

/** 400: a dry run must leave nothing behind, and nobody knows whether this webhook would. */
export const noDryRun = (webhook: string): StatusError =>
  badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);

/** 504: the request itself has no time left. */
export const outOfTime = (): StatusError =>
  new StatusError('Timeout', 'request did not complete within requested timeout');
