import { Api } from '../../support/api.js';

/** Users who send few requests. */
export const POLITE: readonly string[] = Array.from({ length: 50 }, (_, i) => `polite-${i}`);
/** The one who asks for as much as can be had. */
export const NOISY = 'noisy';
/** Its address: that of a machine of its own. */
export const NOISY_FROM = '127.0.1.1';
/** Requests that the noisy one has under way at all times. */
export const NOISE = 64;
/**
 * What makes the noise has a core when nobody else wants one: it would be on another machine, and is not to keep servers and polite users from
 * theirs.
 */
export const LATER = 19;
/** Calm and noise take turns, as the machine may have more to do at times. */
export const ROUNDS = 4;

/** A server and its administrator's credentials. */
interface Place {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** Lets all of them do everything, none of them being a member of the group whose requests are exempt. */
export async function letThemIn({ url, ca, token }: Place): Promise<void> {
  const api = new Api({ url, ca, token });
  const apiGroup = 'rbac.authorization.k8s.io';
  const { status, text } = await api.post(`/apis/${apiGroup}/v1/clusterrolebindings`, {
    metadata: { name: 'bench-noise' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [...POLITE, NOISY].map((name) => ({ apiGroup, kind: 'User', name })),
  });
  api.close();
  if (status !== 201) throw new Error(`rights of users: ${status} ${text}`);
}
