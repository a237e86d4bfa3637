import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Extension, RemoteRegistration } from '@orch/aggregation';
import { ensurePki } from '@orch/authentication';

/** A server of a group-version, on loopback. */
export interface TestExtension {
  readonly target: Extension;
  /** What it does with a request; may be changed. */
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  stop(): Promise<void>;
}

export async function startExtension(): Promise<TestExtension> {
  const certDir = await mkdtemp(join(tmpdir(), 'extension-'));
  const { ca, serving, proxy } = await ensurePki({
    certDir,
    bindAddress: '127.0.0.1',
    names: { apiServiceName: 'api' },
  });
  const server = createServer({ cert: serving.cert, key: serving.key });
  server.on('request', (req, res) => extension.answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ ca: ca.cert, cert: proxy.cert, key: proxy.key, keepAlive: true });
  const extension: TestExtension = {
    target: { host: '127.0.0.1', port, serverName: 'api.default.svc', agent },
    answer: (_req, res) => void res.end('{}'),
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await rm(certDir, { recursive: true });
    },
  };
  return extension;
}

/** The registration of `example.com/v1` for the service `things`, changed by what is given. */
export const registrationOf = (changed: Partial<RemoteRegistration> = {}): RemoteRegistration => ({
  name: 'v1.example.com',
  uid: 'u',
  stored: 1n,
  group: 'example.com',
  version: 'v1',
  service: { namespace: 'default', name: 'things', port: 443 },
  insecureSkipTLSVerify: false,
  caBundle: undefined,
  groupPriority: 100,
  versionPriority: 10,
  reported: { status: 'True', reason: 'Passed', message: '' },
  managed: undefined,
  spec: { group: 'example.com', version: 'v1', service: { namespace: 'default', name: 'things', port: 443 } },
  ...changed,
});
