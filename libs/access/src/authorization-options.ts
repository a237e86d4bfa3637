import type { OptionValues } from '@orch/runtime';

/** Authorization modes: the authorizers that can be chosen. */
const AUTHORIZATION_MODES = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'] as const;
/** Name of an authorization mode. */
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

const isMode = (text: string): text is AuthorizationMode => (AUTHORIZATION_MODES as readonly string[]).includes(text);

/** @throws Error for none, an unknown one, and one that is named twice */
export function authorizationModes(named: readonly string[]): readonly AuthorizationMode[] {
  if (named.length === 0) throw new Error('at least one authorization-mode must be passed');
  const modes = named.map((mode) => {
    if (!isMode(mode)) throw new Error(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
    return mode;
  });
  if (new Set(modes).size < modes.length) {
    const list = modes.map((mode) => JSON.stringify(mode)).join(' ');
    throw new Error(`authorization-mode [${list}] has mode specified more than once`);
  }
  return modes;
}

/** Options of authorization. */
export const authorizationOptions = {
  'authorization-mode': {
    type: 'list',
    default: ['Node', 'RBAC'],
    check: authorizationModes,
    help: 'Authorizers, in the order in which they decide: Node (nodes by what their pods need), RBAC (roles and bindings), Webhook (--authorization-webhook-config-file), AlwaysAllow, AlwaysDeny. With AlwaysAllow, requests without credentials are refused, regardless of --anonymous-auth.',
  },
  'node-watch-grace': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'How long a node may continue watches of objects that only a deleted pod needed; the node ends them itself once it notices the deletion. Its other requests for these objects are refused at once.',
  },
  'cluster-admin-users': {
    type: 'list',
    default: [],
    help: 'Users who may do everything. At each start, those that are missing are added to the ClusterRoleBinding cluster-admin-users.',
  },
  'kubelet-client-users': {
    type: 'list',
    default: [],
    help: 'Users who may do everything through the API of kubelets: that of --kubelet-client-certificate, where the certificate has no group with that right. At each start, those that are missing are added to the ClusterRoleBinding kubelet-client-users, of the role system:kubelet-api-admin.',
  },
  'authorization-webhook-config-file': {
    type: 'string',
    help: 'Kubeconfig of the server that the mode Webhook sends SubjectAccessReviews to. It is read at start.',
  },
  'authorization-webhook-version': {
    type: 'string',
    choices: ['v1', 'v1beta1'],
    default: 'v1beta1',
    help: 'Version of the SubjectAccessReviews that the authorization webhook is sent and must answer with.',
  },
  'authorization-webhook-cache-authorized-ttl': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: "How long the authorization webhook's positive answers are cached.",
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: "How long the authorization webhook's negative answers are cached.",
  },
  'authorization-webhook-watch-interval': {
    type: 'duration',
    default: 60_000,
    min: 0,
    help: 'Period in which each open watch is authorized again with the mode Webhook, one after another. A watch that is no longer allowed ends at most this long after the cached answer has expired. Watches that need the same answer share one call. 0 disables this.',
  },
} as const;

/** Values of {@link authorizationOptions}. */
export type AuthorizationOptions = OptionValues<typeof authorizationOptions>;

/** @throws Error for options that do not go together */
export function checkAuthorization({
  authorizationMode,
  authorizationWebhookConfigFile: file,
}: AuthorizationOptions): void {
  const asks = authorizationMode.includes('Webhook');
  if (asks && !file) throw new Error("authorization-mode Webhook's authorization config file not passed");
  if (file && !asks) throw new Error('cannot specify --authorization-webhook-config-file without mode Webhook');
}
