import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { openUpgraded } from '../support/upgraded.js';
import { openWebSocket } from '../support/web-socket.js';

const GATES = 'TranslateStreamCloseWebsocketRequests=true,PortForwardWebsockets=true';
const IDLE_MS = 1_500;
const HEAD = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';

let server: Standalone;
let agent: NodeAgent;
let api: Api;
let pod: string;

beforeAll(async () => {
  server = await startStandalone({ args: [`--feature-gates=${GATES}`, `--stream-idle-timeout=${IDLE_MS}ms`] });
  api = new Api(server);
  agent = await startNodeAgent();
  await agent.join(api, 'n');
  pod = await makePodOn(api, 'default', 'p', 'n');
  agent.upgrade = (req, socket) => {
    const protocol = req.url?.startsWith('/exec') ? 'v4.channel.k8s.io' : 'portforward.k8s.io';
    socket.write(`${HEAD}X-Stream-Protocol-Version: ${protocol}\r\n\r\n`);
    socket.resume();
  };
});

afterAll(async () => {
  api?.close();
  await server?.stop();
  await agent?.stop();
});

test('sessions that are silent are cut, whatever their protocol', async () => {
  const { socket } = await openUpgraded(server, 'POST', `${pod}/exec?command=ls`);
  const closed = once(socket.resume(), 'close');
  const command = await openWebSocket(server, `${pod}/exec?command=ls&stdout=1`, ['v5.channel.k8s.io']);
  const tunnel = await openWebSocket(server, `${pod}/portforward`, ['SPDY/3.1+portforward.k8s.io']);
  expect([command.status, tunnel.status]).toEqual([101, 101]);
  await closed;
  expect(await Promise.all([command.closed, tunnel.closed])).toEqual([1006, 1006]);
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('a session in which one side says something now and then goes on', async () => {
  const { socket } = await openUpgraded(server, 'POST', `${pod}/exec?command=ls`);
  for (let sent = 0; sent < 8; sent++) {
    socket.write('x');
    await pause(IDLE_MS / 4);
  }
  expect(socket.closed).toBe(false);
  socket.destroy();
});
