import { settleStatus } from '../charges/quota-account.js';
import type { Draft, StageTools } from './draft.js';
import { isGone } from './object-checks.js';

/**
 * Computes the charges of the write against quotas, on which the store decides, and corrects the status of an object
 * that is a quota itself. Values that are allocated afterwards change no amount.
 */
export function quota(draft: Draft, { quotas }: StageTools): void {
  if (!quotas) return;
  const { request, operation, stored, wanted, before } = draft;
  const { endpoint, key, subresource } = request;
  const removed = isRemoved(draft);
  if (!removed && quotas.isQuota(endpoint)) {
    // A quota that is deleted and stays for now is as it was.
    const old = before ?? (stored && wanted);
    draft.account = { object: wanted, old, subresource, counted: quotas.believes(request) };
    settleStatus(draft.account);
  }
  // A mark changes no amounts.
  if (operation === 'DELETE' && !removed) return;
  // An update may change the amounts that the object uses and remove it at once: those from before are freed.
  const states = removed ? { before: before ?? wanted, after: undefined } : { before, after: wanted };
  draft.charging = quotas.of({ endpoint, namespace: key.namespace, operation, subresource, ...states });
}

/**
 * Whether the write removes the stored object: a deletion that nothing holds up, or an update that takes the last
 * finalizer.
 */
export const isRemoved = ({ stored, wanted, request }: Draft): boolean =>
  stored !== undefined && isGone(wanted, request.endpoint);
