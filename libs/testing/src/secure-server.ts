import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authoritiesOf, createAuthenticator, ensurePki, type Pki, TokenFileAuthenticator } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { type ConnectionLimits, type Listeners, openListeners } from '@orch/serving';
import { CONNECTION_LIMITS } from './connection-limits.js';
import type { TestApi } from './test-api.js';
import { type ListenOverrides, listenerOf } from './test-server.js';

/** Bearer token of a user with the name `jane`. */
export const TOKEN = 'the-token';

/** An API behind TLS on a loopback port, with credentials as a server has them. */
export interface SecureServer {
  readonly port: number;
  readonly pki: Pki;
  readonly listeners: Listeners;
  close(): Promise<void>;
}

export interface SecureOverrides extends ListenOverrides {
  readonly http2MaxStreams?: number;
  /** Of plain HTTP. Default: none. */
  readonly insecurePort?: number;
  /** In place of what servers have by default. */
  readonly limits?: Partial<ConnectionLimits>;
}

export async function openSecureServer(api: TestApi, overrides: SecureOverrides = {}): Promise<SecureServer> {
  const { http2MaxStreams = 1000, insecurePort = 0, limits, ...others } = overrides;
  const certDir = await mkdtemp(join(tmpdir(), 'secure-server-'));
  const bindAddress = '127.0.0.1';
  const pki = await ensurePki({ certDir, bindAddress, names: namesOf('orch') });
  const trust = {
    clients: authoritiesOf(pki.ca.cert),
    proxies: authoritiesOf(pki.proxyCa.cert),
    proxyNames: [],
  };
  const authenticator = createAuthenticator({
    trust: () => trust,
    tokenVerifiers: [new TokenFileAuthenticator(`${TOKEN},jane,u1,"dev"`, 'tokens')],
    anonymous: true,
  });
  const listeners = await openListeners({
    listener: listenerOf(api, { authenticator, ...others }),
    credentials: { serving: pki.serving, clientCa: [pki.ca.cert, pki.proxyCa.cert].join('\n') },
    bindAddress,
    securePort: 0,
    insecurePort,
    limits: { ...CONNECTION_LIMITS, ...limits },
    onRefused: () => undefined,
    http2MaxStreams,
    watchBufferBytes: api.deps.limits.watchBufferBytes,
  });
  return {
    port: listeners.securePort,
    pki,
    listeners,
    async close() {
      await listeners.close();
      await rm(certDir, { recursive: true });
    },
  };
}
