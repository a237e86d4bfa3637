import { badRequest, type JsonObject, type StatusDetails, StatusError } from '@orch/machinery';
import { internalError } from '../matching/internal-error.js';

/** Thrown if a webhook did not answer, or its answer is unusable; its failure policy decides about the request. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  /**
   * @param webhook its name
   * @param why text after `failed calling webhook "NAME": `
   * @param code that metrics count it under
   */
  constructor(
    webhook: string,
    why: string,
    readonly code: number,
  ) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
  }

  /** Returns the error for the client, if the failure is not ignored. */
  status(): StatusError {
    return internalError(this.message);
  }
}

/** Thrown if a webhook denies a request; holds the error for the client. */
export class Denied extends Error {
  override readonly name = 'Denied';

  /** @param refusal the error for the client */
  constructor(readonly refusal: StatusError) {
    super(refusal.message);
  }
}

/** Most characters of a webhook's reason that a client gets. */
const LONGEST_WHY = 64 << 10;
/** Largest status code of HTTP. */
const LARGEST_CODE = 999;

/** Returns the error of a denial for the client (k8s.io/apiserver, pkg/admission/plugin/webhook/errors). */
export function denial(webhook: string, status: JsonObject | undefined): Denied {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { code, message, reason, details } = status ?? {};
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST_WHY) : '');
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

/** Returns a 400 for a dry run, which must have no side effects, as the webhook does not declare that it has none. */
export const noDryRun = (webhook: string): StatusError =>
  badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);

/** Returns a 504 for a request that has no time left. */
export const outOfTime = (): StatusError =>
  new StatusError('Timeout', 'request did not complete within requested timeout');
