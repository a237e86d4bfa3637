import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { NodeAgent } from '@orch/agent';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { namesOf } from '@orch/machinery';
import { Metrics, silentLogger } from '@orch/runtime';
import { expect, it, vi } from 'vitest';
import { openPort } from './open-port.js';
import { nodeAgentOptions } from './options.js';

const stop = vi.fn(async () => undefined);
vi.mock('@orch/node-certificates', () => ({
  servingCertificate: async () => ({ pair: () => undefined, onChange: () => () => undefined, stop }),
}));

it('ends what renews the certificate where the port cannot be had', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const port = `--port=${(taken.address() as AddressInfo).port}`;
  const { values: options } = nodeAgentOptions.parse(
    ['--address=127.0.0.1', port, '--healthz-port=0', '--authorization-mode=AlwaysAllow'],
    {},
  );
  const parts = { options, logger: silentLogger, metrics: new Metrics(), names: namesOf('kubernetes') };
  const agent = { node: { name: 'n', object: {} } } as unknown as NodeAgent;
  await expect(openPort(parts, { agent, runtime: new FakeRuntime() })).rejects.toThrow('EADDRINUSE');
  expect(stop).toHaveBeenCalledOnce();
  taken.close();
});
