import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { namesOf } from '@orch/machinery';
import { Metrics, silentLogger, systemClock } from '@orch/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentServer } from './agent-server.js';

let taken: Server;

beforeEach(async () => {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
});
afterEach(() => void taken.close());

const options = (healthzPort: number) => ({
  ...{ address: '127.0.0.1', port: 0, healthzBindAddress: '127.0.0.1', healthzPort, enableServer: true },
  ...{
    enableDebuggingHandlers: true,
    streamingConnectionIdleTimeout: 0,
    anonymousAuth: false,
    unauthenticatedConnectionTimeout: 0,
  },
  ...{ authenticationTokenWebhook: false, authenticationTokenWebhookCacheTtl: 0, authorizationMode: 'AlwaysAllow' },
  ...{
    authorizationWebhookCacheAuthorizedTtl: 0,
    authorizationWebhookCacheUnauthorizedTtl: 0,
    clientCaFile: undefined,
  },
});

it('closes its port again where that of its health cannot be had', async () => {
  const server = await AgentServer.open({
    options: options((taken.address() as AddressInfo).port),
    agent: {
      ...{ nodeName: 'n', pods: () => [], syncProblem: () => undefined, configuration: () => ({}), probes: () => [] },
      usage: { node: () => Promise.reject(new Error('not measured')), volumes: async () => [] },
    },
    runtime: new FakeRuntime(),
    ...{ names: namesOf('kubernetes'), metrics: new Metrics(), logger: silentLogger, clock: systemClock },
    pair: () => undefined,
  });
  await expect(server.start()).rejects.toThrow('EADDRINUSE');
  expect(() => server.port).toThrow();
});
