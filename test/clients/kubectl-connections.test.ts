import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { servePodSessions } from '../support/pod-sessions.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const BYTES = 16 << 20;

describe.each(['1.27', '1.33'] as const)('connections to pods with kubectl %s', (release) => {
  let file: string;
  let server: Standalone;
  let agent: NodeAgent;
  let api: Api;
  let kubectl: Kubectl;

  beforeAll(async () => {
    file = findKubectl(release);
    server = await startStandalone();
    api = new Api(server);
    agent = await startNodeAgent();
    agent.upgrade = servePodSessions;
    await agent.join(api, 'n');
    await makePodOn(api, 'default', 'p', 'n');
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await api.patch('/api/v1/namespaces/default/pods/p/status', 'merge', { status });
    kubectl = new Kubectl(file, server.kubeconfig);
  }, KUBECTL_BUILD_MS);
  afterAll(async () => {
    api?.close();
    await server?.stop();
    await agent?.stop();
  });

  const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  test('logs', async () => {
    agent.answer = (req, res) => res.end(`${req.url}\n`);
    expect(await kubectl.ok(['logs', 'p', '--tail=3'])).toBe('/containerLogs/default/p/c?tailLines=3\n');
    agent.answer = (_req, res) => res.writeHead(400).end('previous terminated container "c" in pod "p" not found');
    expect(await kubectl.refused(['logs', 'p', '--previous'])).toContain(
      'previous terminated container "c" in pod "p" not found',
    );
    agent.answer = (_req, res) => void res.write('first\n');
    await kubectl.until(['logs', '-f', 'p'], (stdout) => stdout === 'first\n');
    await expect.poll(() => agent.connections.size).toBe(0);
  });

  test('exec', async () => {
    expect(await kubectl.ok(['exec', 'p', '--', 'echo', 'a b', 'c'])).toBe('echo a b c\n');
    expect(await kubectl.ok(['exec', '-i', 'p', '--', 'cat'], { input: 'in and out' })).toBe('in and out');
    const ended = await kubectl.run(['exec', 'p', '--', 'exit', '7']);
    expect([ended.code, ended.stderr]).toEqual([7, expect.stringContaining('exit code 7')]);
    expect(await kubectl.refused(['exec', 'p', '-c', 'none', '--', 'ls'])).toContain('container none');
    expect(await kubectl.ok(['attach', 'p'])).toContain('\n');
  });

  test('exec of many bytes', async () => {
    const bytes = randomBytes(BYTES);
    const args = ['--kubeconfig', server.kubeconfig, 'exec', '-i', 'p', '--', 'cat'];
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(bytes);
    const back = createHash('sha256');
    let got = 0;
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      back.update(piece);
      got += piece.length;
    }
    expect([got, back.digest('hex')]).toEqual([BYTES, sum(bytes)]);
  });

  test('port-forward', async () => {
    const args = ['--kubeconfig', server.kubeconfig, 'port-forward', 'p', ':80', '--address=127.0.0.1'];
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(/127\.0\.0\.1:(\d+) ->/.exec(first.toString())?.[1]);
    const answers = ['one', 'two', 'three'].map(async (word) => {
      const socket = connect(port, '127.0.0.1');
      socket.end(word);
      return text(socket);
    });
    expect(await Promise.all(answers)).toEqual(['ONE', 'TWO', 'THREE']);
    child.kill();
    await once(child, 'close');
    await expect.poll(() => agent.connections.size).toBe(0);
  });
});
