import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import { type ControllerClient, ignoreMissing } from '@orch/writing';
import type { RequestSummary } from './request-summary.js';

/** Returns the changed request; undefined for no change. */
type RequestChange = (
  current: CertificateSigningRequest,
) => CertificateSigningRequest | undefined | Promise<CertificateSigningRequest | undefined>;

/** Dependencies of writes into requests. */
export interface RequestWrites {
  /** Client with the identity of the controller. */
  readonly client: Pick<ControllerClient, 'update'>;
  /** Endpoint of certificate requests in the storage version. */
  readonly endpoint: Endpoint;
}

/**
 * Writes the decision or the certificate of a controller into a request, under the rules for any signer. A request that
 * is gone, or has been replaced by another of its name, is left alone.
 * @throws StatusError, StoreUnavailableError, and errors of the change
 */
export async function writeRequest(
  { client, endpoint }: RequestWrites,
  { name, uid }: Pick<RequestSummary, 'name' | 'uid'>,
  subresource: 'status' | 'approval',
  change: RequestChange,
): Promise<void> {
  await client
    .update({ endpoint, key: { namespace: '', name }, subresource }, async (current) => {
      if (current.metadata?.uid !== uid) return current;
      return ((await change(current as CertificateSigningRequest)) as ApiObject | undefined) ?? current;
    })
    .catch(ignoreMissing(endpoint, name));
}

/** Adds a condition to a request; its times are filled in when it is written. */
export function withCondition(
  request: CertificateSigningRequest,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
): CertificateSigningRequest {
  const { status } = request;
  const conditions = [...(status?.conditions ?? []), { status: 'True', ...condition }];
  return { ...request, status: { ...status, conditions } };
}
