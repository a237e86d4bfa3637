import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { servePodSessions } from '../support/pod-sessions.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { startWebSocketProxy, type WebSocketProxy } from '../support/web-socket-proxy.js';
import { goProgram } from './go-program.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const GATES = 'TranslateStreamCloseWebsocketRequests=true,PortForwardWebsockets=true';
const BYTES = 100 << 20;
const MOVING_MS = 120_000;

let file: string;
let server: Standalone;
let agent: NodeAgent;
let api: Api;
let proxy: WebSocketProxy;
let kubectl: Kubectl;

beforeAll(async () => {
  file = findKubectl('1.33');
  server = await startStandalone({ args: [`--feature-gates=${GATES}`] });
  api = new Api(server);
  agent = await startNodeAgent();
  agent.upgrade = servePodSessions;
  await agent.join(api, 'n');
  await makePodOn(api, 'default', 'p', 'n');
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await api.patch('/api/v1/namespaces/default/pods/p/status', 'merge', { status });
  proxy = await startWebSocketProxy(server);
  kubectl = new Kubectl(file, server.kubeconfig);
}, KUBECTL_BUILD_MS);

afterAll(async () => {
  await proxy?.stop();
  api?.close();
  await server?.stop();
  await agent?.stop();
});

// A proxy that knows no SPDY is enough: nothing falls back to it.
afterEach(async () => {
  expect(new Set(proxy.upgrades)).toEqual(new Set(['websocket']));
  proxy.upgrades.length = 0;
  await expect.poll(() => agent.connections.size).toBe(0);
});

const args = (...rest: string[]) => [`--server=${proxy.url}`, ...rest];

const start = (...rest: string[]) =>
  spawn(file, ['--kubeconfig', server.kubeconfig, ...args(...rest)], { stdio: ['pipe', 'pipe', 'inherit'] });

test('exec and attach', async () => {
  expect(await kubectl.ok(args('exec', 'p', '--', 'echo', 'a b', 'c'))).toBe('echo a b c\n');
  expect(await kubectl.ok(args('exec', '-i', 'p', '--', 'cat'), { input: 'in and out' })).toBe('in and out');
  const ended = await kubectl.run(args('exec', 'p', '--', 'exit', '7'));
  expect([ended.code, ended.stderr]).toEqual([7, expect.stringContaining('exit code 7')]);
  expect(await kubectl.refused(args('exec', 'p', '--', 'break'))).toContain('the connection to the agent ended');
  expect(await kubectl.ok(args('attach', 'p'))).toContain('\n');
});

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Number of bytes of a stream, and their sum. */
async function sumOf(stream: AsyncIterable<Buffer>): Promise<readonly [number, string]> {
  const all = createHash('sha256');
  let got = 0;
  for await (const piece of stream) {
    all.update(piece);
    got += piece.length;
  }
  return [got, all.digest('hex')];
}

/** Sends 100 MiB through a command that sends back what it gets. */
async function throughCommand(pod: string): Promise<void> {
  const bytes = randomBytes(BYTES);
  const child = start('exec', '-i', pod, '--', 'cat');
  // Where it fails, its end says so.
  child.stdin.on('error', () => undefined).end(bytes);
  const [got, [code]] = await Promise.all([sumOf(child.stdout), once(child, 'close')]);
  expect([code, ...got]).toEqual([0, BYTES, sum(bytes)]);
}

/** Forwards a port of a pod while something is done with it. */
async function forwarding(pod: string, use: (port: number) => Promise<void>): Promise<void> {
  const child = start('port-forward', pod, ':80', '--address=127.0.0.1');
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  await use(Number(/127\.0\.0\.1:(\d+) ->/.exec(first.toString())?.[1]));
  child.kill();
  await once(child, 'close');
}

/** Sends 100 MiB, in capitals, through a port that sends back what it gets. */
async function throughPort(port: number): Promise<void> {
  const hex = randomBytes(BYTES / 2).toString('hex');
  const bytes = Buffer.from(hex.toUpperCase());
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  expect(await sumOf(socket)).toEqual([BYTES, sum(bytes)]);
}

async function manyConnections(port: number): Promise<void> {
  const words = Array.from({ length: 50 }, (_each, number) => `word-${number}`);
  const answers = words.map(async (word) => {
    const socket = connect(port, '127.0.0.1');
    socket.end(word);
    return Buffer.concat(await socket.toArray()).toString();
  });
  expect(await Promise.all(answers)).toEqual(words.map((word) => word.toUpperCase()));
}

test('exec of 100 MiB, both ways', () => throughCommand('p'), MOVING_MS);
test('port-forward of 50 connections', () => forwarding('p', manyConnections), MOVING_MS);
test('port-forward of 100 MiB, both ways', () => forwarding('p', throughPort), MOVING_MS);

describe('an agent that speaks with the library of release 1.27', () => {
  const build = goProgram('go-agent', 'release');
  let program: ChildProcess;

  beforeAll(async () => {
    const child = spawn(build(), [agent.address], { stdio: ['ignore', 'pipe', 'inherit'] });
    program = child;
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    await agent.join(api, 'go');
    const status = { daemonEndpoints: { kubeletEndpoint: { Port: Number(line) } } };
    await api.patch('/api/v1/nodes/go/status', 'merge', { status });
    await makePodOn(api, 'default', 'go', 'go');
    await api.patch('/api/v1/namespaces/default/pods/go/status', 'merge', { status: { phase: 'Running' } });
  }, KUBECTL_BUILD_MS);
  afterAll(async () => {
    program.kill();
    await once(program, 'close');
  });

  test('exec of 100 MiB, both ways', () => throughCommand('go'), MOVING_MS);
  test('port-forward of 100 MiB, both ways', () => forwarding('go', throughPort), MOVING_MS);
});
