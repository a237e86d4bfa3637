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
    help: 'Who decides what a caller may do, in this order: Node (nodes by what their pods need), RBAC (roles and bindings), Webhook (--authorization-webhook-config-file), AlwaysAllow, AlwaysDeny. With AlwaysAllow nobody is let in without credentials, whatever --anonymous-auth says.',
  },
  'node-watch-grace': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'How long after a pod is gone its node may still watch what only that pod needed: it ends these watches itself as it hears of it. Other requests for it are refused at once.',
  },
  'cluster-admin-users': {
    type: 'list',
    default: [],
    help: 'Users who may do everything, by the ClusterRoleBinding cluster-admin-users: at each start those are added to it that it lacks.',
  },
  'authorization-webhook-config-file': {
    type: 'string',
    help: 'Kubeconfig of the server that the mode Webhook asks by SubjectAccessReviews; read at start.',
  },
  'authorization-webhook-version': {
    type: 'string',
    choices: ['v1', 'v1beta1'],
    default: 'v1beta1',
    help: 'Version of the SubjectAccessReviews that are sent to it, and that it answers with.',
  },
  'authorization-webhook-cache-authorized-ttl': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: 'How long its answers are gone by that allow something.',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'How long its answers are gone by that do not.',
  },
  'authorization-webhook-watch-interval': {
    type: 'duration',
    default: 60_000,
    min: 0,
    help: 'Within which each open watch is judged again with the mode Webhook, one after another: a watch ends at most so much later than the answers that allowed it. It asks the webhook once for all that ask the same, when its answer is not gone by any more. 0 is never.',
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
