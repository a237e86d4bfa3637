import { NODES } from './place.js';

/** A component, by what it is to the API. */
export interface Identity {
  readonly user: string;
  readonly group?: string;
}

/** Who has a kubeconfig, by the name of its file. */
export const IDENTITIES: Readonly<Record<string, Identity>> = {
  admin: { user: 'admin', group: 'system:masters' },
  manager: { user: 'system:kube-controller-manager' },
  scheduler: { user: 'system:kube-scheduler' },
  proxy: { user: 'system:kube-proxy' },
  ...Object.fromEntries(NODES.map(({ name }) => [name, { user: `system:node:${name}`, group: 'system:nodes' }])),
};

/**
 * The lines of a server's `--token-auth-file`.
 *
 * @param tokens by the names of identities
 */
export const tokenFile = (tokens: Readonly<Record<string, string>>): string =>
  Object.entries(tokens)
    .map(([who, token]) => {
      const { user, group = '' } = IDENTITIES[who] ?? { user: who };
      return `${token},${user},${user},"${group}"\n`;
    })
    .join('');
