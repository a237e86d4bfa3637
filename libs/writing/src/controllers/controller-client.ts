import type { Names } from '@orch/machinery';
import { LocalClient, type LocalHost } from './local-client.js';
import type { LocalIdentity } from './local-requests.js';

/** Namespace of the accounts of controllers, in both naming profiles. */
const ACCOUNTS = 'kube-system';

/**
 * A controller as authorizers, admission and the audit log see it: its service account, as in kube-controller-manager
 * with `--use-service-account-credentials`.
 */
function accountIdentity({ product }: Names, account: string): LocalIdentity {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${ACCOUNTS}`, 'system:authenticated'];
  return {
    user: { name: `system:serviceaccount:${ACCOUNTS}:${account}`, groups, extra: {} },
    agent: `${product === 'kubernetes' ? 'kube' : product}-controller-manager/${account}`,
  };
}

/** Client of a controller that runs within the server, by the controller's own service account. */
export class ControllerClient extends LocalClient {
  /** @param account name of the service account, as `namespace-controller` */
  constructor(host: LocalHost, account: string) {
    super(host, accountIdentity(host.names, account));
  }
}
