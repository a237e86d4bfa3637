import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { servePodSessions } from '../support/pod-sessions.js';
import { makeServerFolder } from '../support/run-folder.js';
import { openUpgraded } from '../support/upgraded.js';
import { openWebSocket } from '../support/web-socket.js';

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';
const GATES = '--feature-gates=TranslateStreamCloseWebsocketRequests=true,PortForwardWebsockets=true';
const BYTES = 32 << 20;

describe.each(['nginx', 'haproxy'] as const)('connections to pods through %s', (loadBalancer) => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  let agent: NodeAgent;
  let pod: string;

  beforeAll(async () => {
    dir = makeServerFolder('orch-balanced-');
    cluster = await startCluster({ dir, apiServers: 1, gateways: 1, loadBalancer, serverArgs: [GATES] });
    api = new Api(cluster);
    agent = await startNodeAgent();
    await agent.join(api, 'n');
    pod = await makePodOn(api, 'default', 'p', 'n');
    agent.upgrade = (_req, socket) => {
      socket.write(SWITCHED);
      socket.pipe(socket);
    };
  });
  afterAll(async () => {
    api?.close();
    await cluster?.stop();
    await agent?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** What goes out and comes back again, as sums. */
  async function sums(socket: Socket): Promise<readonly string[]> {
    const piece = randomBytes(1 << 20);
    const [out, back] = [createHash('sha256'), createHash('sha256')];
    let left = BYTES;
    const whole = new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        back.update(Buffer.from(bytes.toString('latin1'), 'latin1'));
        left -= bytes.length;
        if (left === 0) resolve();
      });
    });
    for (let sent = 0; sent < BYTES; sent += piece.length) {
      out.update(piece);
      if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve));
    }
    await whole;
    return [out.digest('hex'), back.digest('hex')];
  }

  test.each([
    ['the load balancer', () => cluster.url],
    ['a gateway', () => cluster.gatewayUrls[0] ?? ''],
  ])('by way of %s, whatever goes there comes back, in both directions at once', async (_way, url) => {
    const { status, headers, socket } = await openUpgraded(
      { ...cluster, url: url() },
      'POST',
      `${pod}/exec?command=ls`,
    );
    expect(status).toBe(101);
    expect(headers.map((line) => line.toLowerCase())).toContain('upgrade: spdy/3.1');
    const [out, back] = await sums(socket);
    expect(back).toBe(out);
    socket.destroy();
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  const WAYS = [
    ['the load balancer', () => cluster],
    ['a gateway', () => ({ ...cluster, url: cluster.gatewayUrls[0] ?? '' })],
  ] as const;

  test.each(WAYS)('by way of %s, a log comes over a WebSocket as it is written', async (_way, settings) => {
    let write: (text: string) => void = () => undefined;
    agent.answer = (_req, res) => {
      res.write('first\n');
      write = (text) => res.end(text);
    };
    const { messages, closed } = await openWebSocket(settings(), `${pod}/log?follow=1`, ['binary.k8s.io']);
    await expect.poll(() => String(messages.at(-1)?.bytes)).toBe('first\n');
    write('last\n');
    expect(await closed).toBe(1000);
    expect(String(messages.at(-1)?.bytes)).toBe('last\n');
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  test.each(WAYS)('by way of %s, WebSockets are translated', async (_way, settings) => {
    const { upgrade } = agent;
    agent.upgrade = servePodSessions;
    const path = `${pod}/exec?stdin=1&stdout=1&command=cat`;
    const { client, messages, closed } = await openWebSocket(settings(), path, ['v5.channel.k8s.io']);
    client.send(Buffer.from([0, ...Buffer.from('in and out')]));
    client.send(Buffer.from([255, 0]));
    expect(await closed).toBe(1000);
    const out = messages.filter(({ bytes }) => bytes[0] === 1).map(({ bytes }) => bytes.subarray(1));
    expect(Buffer.concat(out).toString()).toBe('in and out');
    const tunnel = await openWebSocket(settings(), `${pod}/portforward`, ['SPDY/3.1+portforward.k8s.io']);
    expect(tunnel).toMatchObject({ status: 101, protocol: 'SPDY/3.1+portforward.k8s.io' });
    tunnel.client.close();
    await expect.poll(() => agent.connections.size).toBe(0);
    agent.upgrade = upgrade;
  });

  test('refusals come as they are', async () => {
    const { status, read } = await openUpgraded(cluster, 'POST', `${pod}/exec?container=x`);
    expect(status).toBe(400);
    expect(await read(130)).toContain('container x is not valid for pod p');
  });

  test('a log is followed', async () => {
    let write: (text: string) => void = () => undefined;
    agent.answer = (_req, res) => {
      res.write('first\n');
      write = (text) => res.write(text);
    };
    const log = await api.open('GET', `${pod}/log?follow=1`, {});
    const pieces = log[Symbol.asyncIterator]();
    expect(String((await pieces.next()).value)).toBe('first\n');
    write('second\n');
    expect(String((await pieces.next()).value)).toBe('second\n');
    log.destroy();
    await expect.poll(() => agent.connections.size).toBe(0);
  });
});
