import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServedApi } from '@orch/apiserver';
import { issueClientCertificate } from '@orch/authentication';
import type { Connection } from '@orch/client';
import { systemClock } from '@orch/runtime';

/** Milliseconds that such a certificate lives; each start of the process makes another. */
const LIFETIME_MS = 365 * 86_400_000;

/** Identity of a component of this process towards the API. */
interface ComponentUser {
  /** Name of the user. */
  readonly name: string;
  /** Its groups. */
  readonly groups: readonly string[];
}

/**
 * Returns how a component beside the API reaches it: as a client with a certificate of its own, so that it has the rights of its user
 * and no others. @param certDir folder with the authority of the process
 */
export async function connectionOf(user: ComponentUser, certDir: string, api: ServedApi): Promise<Connection> {
  const [cert, key] = await Promise.all(['ca.crt', 'ca.key'].map((file) => readFile(join(certDir, file), 'utf8')));
  const authority = { cert: cert ?? '', key: key ?? '' };
  const pair = await issueClientCertificate(authority, user, LIFETIME_MS, systemClock.wall());
  const ca = api.authority();
  return { server: api.url(), ...(ca !== undefined && { ca }), ...pair };
}
