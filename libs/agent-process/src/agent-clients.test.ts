import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client, Connection } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClients } from './agent-clients.js';
import { nodeAgentOptions } from './options.js';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };

let server: Server;
let received: IncomingHttpHeaders[];
let clients: Record<string, Client> = {};

beforeEach(async () => {
  received = [];
  server = createServer((request, response) => {
    received.push(request.headers);
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(NODE));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const client of Object.values(clients)) await client.close();
  server.close();
});

function open(...args: string[]) {
  const { values } = nodeAgentOptions.parse(args, {});
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const opened = openClients(values, { server: url } as unknown as Connection, namesOf(values.naming));
  clients = { ...opened };
  return opened;
}

describe('requests to the API', () => {
  it.each([
    [[], 'application/vnd.orch.protobuf'],
    [['--naming=kubernetes'], 'application/vnd.kubernetes.protobuf'],
    [['--kube-api-content-type=application/json'], 'application/json'],
  ])('--kube-api-content-type is their form: with %s %s', async (args, type) => {
    await open(...args).pods.create(NODES, NODE);
    expect(received[0]?.['content-type']).toBe(type);
    expect(received[0]?.accept).toContain(type);
  });

  it('--kube-api-qps and --kube-api-burst bound those for pods, and not heartbeats', async () => {
    const { pods, heartbeats } = open('--kube-api-qps=20', '--kube-api-burst=2');
    const since = performance.now();
    await Promise.all(Array.from({ length: 40 }, () => heartbeats.get(NODES, 'n')));
    await Promise.all(Array.from({ length: 8 }, () => pods.get(NODES, 'n')));
    // Six of them wait for a twentieth of a second each.
    expect(performance.now() - since).toBeGreaterThan(290);
    expect(received).toHaveLength(48);
  });

  it('--kube-api-qps=0 and --kube-api-burst=0 are the defaults', async () => {
    const { pods } = open('--kube-api-qps=0', '--kube-api-burst=0');
    await Promise.all(Array.from({ length: 100 }, () => pods.get(NODES, 'n')));
    expect(received).toHaveLength(100);
  });
});
