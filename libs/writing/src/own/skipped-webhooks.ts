import type { UserInfo } from '@orch/authentication';
import { MASTERS } from '@orch/authorization';
import { badRequest, StatusError } from '@orch/machinery';

/** Query parameter of a write that skips admission webhooks. */
const SKIP_WEBHOOKS = 'skipAdmissionWebhooks';

/**
 * Whether a write skips admission webhooks, so that a cluster can be repaired whose webhooks are broken. The audit log
 * and a warning record it.
 * @throws StatusError 403 for callers that are not administrators, 400
 */
export function skipsWebhooks(query: URLSearchParams, { groups }: UserInfo): boolean {
  const given = query.get(SKIP_WEBHOOKS);
  if (given === null || given === 'false') return false;
  if (given !== 'true') throw badRequest(`${SKIP_WEBHOOKS} must be true or false`);
  if (groups.includes(MASTERS)) return true;
  throw new StatusError(
    'Forbidden',
    `${SKIP_WEBHOOKS} is forbidden: only members of ${MASTERS} may pass by admission webhooks`,
  );
}
