import type { UserInfo } from '@orch/authentication';
import { MASTERS } from '@orch/authorization';
import { badRequest, StatusError } from '@orch/machinery';

/** Parameter of a write that no admission webhook is to be asked about. */
const SKIP_WEBHOOKS = 'skipAdmissionWebhooks';

/**
 * Whether no admission webhook is to be asked about a write: the way past webhooks that keep a cluster from being mended. It is told in the
 * audit log and in a warning. @throws StatusError 403 for whoever is no administrator, 400
 */
export function skipsWebhooks(query: URLSearchParams, { groups }: UserInfo): boolean {
  const said = query.get(SKIP_WEBHOOKS);
  if (said === null || said === 'false') return false;
  if (said !== 'true') throw badRequest(`${SKIP_WEBHOOKS} must be true or false`);
  if (groups.includes(MASTERS)) return true;
  throw new StatusError(
    'Forbidden',
    `${SKIP_WEBHOOKS} is forbidden: only members of ${MASTERS} may pass by admission webhooks`,
  );
}
