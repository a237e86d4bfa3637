import type { StatusError } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { refusal } from '../refusal.js';

/** A denial of a request by a policy. */
export interface Denial {
  /** Name of the policy. */
  readonly policy: string;
  /** Name of the binding; undefined if the policy itself is unusable. */
  readonly binding: string | undefined;
  /** Message for the client. */
  readonly message: string;
  /** Reason of the Status; '' for `Invalid`. */
  readonly reason: string;
}

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};
const UNPROCESSABLE = 422;

/**
 * Returns the error for the client (k8s.io/apiserver, pkg/admission/plugin/validatingadmissionpolicy/controller.go).
 */
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
