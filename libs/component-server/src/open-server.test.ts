import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { connect } from 'node:tls';
import type { Client } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { expect, it, onTestFinished } from 'vitest';
import { componentServer } from './index.js';

const client: Pick<Client, 'create'> = { create: () => Promise.reject(new Error('nobody is asked')) };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it('closes connections that carry no request that is allowed after --unauthenticated-connection-timeout', async () => {
  const port = await freePort();
  const server = await componentServer(
    {
      ...{ bindAddress: '127.0.0.1', securePort: port, tlsCertFile: undefined, tlsPrivateKeyFile: undefined },
      ...{ clientCaFile: undefined, authenticationTokenWebhookCacheTtl: 0, authorizationAlwaysAllowPaths: [] },
      ...{ authorizationWebhookCacheAuthorizedTtl: 0, authorizationWebhookCacheUnauthorizedTtl: 0 },
      unauthenticatedConnectionTimeout: 100,
    },
    {
      ...{ authentication: client, authorization: client, names: namesOf('orch'), pages: {} },
      onError: () => undefined,
    },
  );
  await server?.start();
  onTestFinished(() => server?.stop());
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => undefined).resume();
  await once(socket, 'secureConnect');
  await once(socket, 'close');
  expect(socket.destroyed).toBe(true);
});
