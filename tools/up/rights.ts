import { request } from 'node:https';
import { type NamingProfile, namesOf } from '@orch/machinery';

/** Address of a server, and an administrator's credentials for it. */
interface AskedServer {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  readonly naming: NamingProfile;
}

/** Lets users do everything, by a binding to `cluster-admin`; unlike administrators they are held to limits. */
export async function letUsersIn(server: AskedServer, users: readonly string[]): Promise<void> {
  if (users.length === 0) return;
  const apiGroup = namesOf(server.naming).group('rbac.authorization.orch.io');
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'users-of-tests' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: users.map((name) => ({ apiGroup, kind: 'User', name })),
  };
  const status = await post(server, `/apis/${apiGroup}/v1/clusterrolebindings`, JSON.stringify(binding));
  if (status !== 201 && status !== 409) throw new Error(`users were not let in: ${status}`);
}

function post({ url, ca, token }: AskedServer, path: string, body: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method: 'POST', ca, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
