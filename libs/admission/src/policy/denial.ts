import type { StatusError } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { refusal } from '../refusal.js';

/** Why a policy keeps a request from being carried out. */
export interface Denial {
  readonly policy: string;
  /** Undefined where the policy itself cannot be used. */
  readonly binding: string | undefined;
  readonly message: string;
  /** '' for none in particular. */
  readonly reason: string;
}

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};
const UNPROCESSABLE = 422;

/** What the client is told (k8s.io/apiserver, pkg/admission/plugin/validatingadmissionpolicy/controller.go). */
export function denied(attributes: Attributes, { policy, binding, message, reason }: Denial): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`}`;
  const text = `${by} denied request: ${message}`;
  const error = refusal(attributes, text);
  const { status } = error;
  status.reason = reason || 'Invalid';
  status.code = CODES[status.reason] ?? UNPROCESSABLE;
  status.details = { ...status.details, causes: [...(status.details?.causes ?? []), { message: text }] };
  return error;
}
