import { type Names, namesOf } from '@orch/machinery';
import type { ClientUser } from '../connection.js';
import { type Kubeconfig, parseKubeconfig } from './kubeconfig.js';
import { readUser } from './read-user.js';

/**
 * Users by host, from a kubeconfig whose users are named after hosts, as admission webhooks are configured with (spec:
 * "Authorization notes"; the order is that of k8s.io/apiserver, pkg/util/webhook/authentication.go).
 */
export class UsersByHost {
  private constructor(
    private readonly config: Kubeconfig,
    private readonly names: Names,
  ) {}

  /** Throws {@link KubeconfigError} for an invalid file; an invalid user is reported when it is requested. */
  static async read(file: string, names: Names = namesOf('orch')): Promise<UsersByHost> {
    return new UsersByHost(await parseKubeconfig(file), names);
  }

  /**
   * Returns the user for a host, a service being `name.namespace.svc`: named `host:port`, or so with leading parts as
   * `*`; for port 443 without the port too; else the user `*`, else that of the current context, else an empty one.
   * Throws {@link KubeconfigError}.
   */
  async userFor(host: string, port: number): Promise<ClientUser> {
    const { users, contexts, currentContext } = this.config;
    const withPort = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const places = port === 443 ? [withPort, host] : [withPort];
    const current = contexts.get(currentContext ?? '')?.text('user');
    for (const name of [...places.flatMap(namesFor), '*', ...(current ? [current] : [])]) {
      const entry = users.get(name);
      if (entry) return readUser(entry, this.names);
    }
    return {};
  }
}

/** `a.b.c`, `*.b.c`, `*.c`. */
function namesFor(place: string): readonly string[] {
  const parts = place.split('.');
  return [place, ...parts.slice(1).map((_part, at) => `*.${parts.slice(at + 1).join('.')}`)];
}
