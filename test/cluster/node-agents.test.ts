import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { makePodOn, type NodeAgent, shownName, startNodeAgent } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const DRAIN_MS = 2_000;

let dir: string;
let agent: NodeAgent;
let stranger: NodeAgent;
let server: Standalone;
let api: Api;
let pod: string;

const file = (name: string) => join(dir, name);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'node-agents-'));
  agent = await startNodeAgent();
  stranger = await startNodeAgent();
  writeFileSync(file('client.crt'), agent.client.cert);
  writeFileSync(file('client.key'), agent.client.key);
  writeFileSync(file('ca.crt'), agent.ca);
  server = await startStandalone({
    args: [
      `--kubelet-client-certificate=${file('client.crt')}`,
      `--kubelet-client-key=${file('client.key')}`,
      `--kubelet-certificate-authority=${file('ca.crt')}`,
      '--kubelet-preferred-address-types=ExternalIP,InternalIP',
      '--max-streams-per-user=2',
      `--shutdown-drain-duration=${DRAIN_MS}ms`,
    ],
    users: ['ann'],
  });
  api = new Api(server);
  await agent.join(api, 'known');
  await stranger.join(api, 'unknown');
  pod = await makePodOn(api, 'default', 'p', 'known');
});

afterAll(async () => {
  api?.close();
  await server?.stop();
  await agent?.stop();
  await stranger?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('an agent is shown the client certificate', async () => {
  agent.answer = (req, res) => res.end(shownName(req));
  expect((await api.get(`${pod}/log`)).text).toBe('admin');
});

test('an agent of another authority is not believed, unless that is wanted for a log', async () => {
  stranger.answer = (_req, res) => res.end('line');
  const other = await makePodOn(api, 'default', 'other', 'unknown');
  const refused = await api.get(`${other}/log`);
  expect(refused.status).toBe(500);
  expect(refused.json().message).toMatch(
    /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
  );
  expect((await api.get(`${other}/log?insecureSkipTLSVerifyBackend=true`)).text).toBe('line');
});

test('certificates are followed as their files change', async () => {
  stranger.answer = (_req, res) => res.end('line');
  writeFileSync(file('ca.crt'), `${agent.ca}${stranger.ca}`);
  const other = await makePodOn(api, 'default', 'later', 'unknown');
  await expect.poll(async () => (await api.get(`${other}/log`)).status, { timeout: 20_000 }).toBe(200);
});

test('beyond --max-streams-per-user there are no more', async () => {
  const ann = new Api({ url: server.url, ca: server.ca, token: 'ann' });
  agent.answer = (_req, res) => res.write('first\n');
  const open = [await ann.open('GET', `${pod}/log?follow=1`, {}), await ann.open('GET', `${pod}/log?follow=1`, {})];
  const refused = await ann.get(`${pod}/log`);
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  for (const stream of open) stream.destroy();
  agent.answer = (_req, res) => res.end('line');
  await expect.poll(async () => (await ann.get(`${pod}/log`)).status).toBe(200);
  ann.close();
});

test('a server that stops ends the logs that are followed once its time is over', async () => {
  agent.answer = (_req, res) => res.write('first\n');
  const stream = await api.open('GET', `${pod}/log?follow=1`, {});
  const ended = new Promise<void>((resolve) => stream.once('close', resolve));
  stream.on('error', () => undefined).resume();
  const began = performance.now();
  await server.process.stop();
  await ended;
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(DRAIN_MS / 2);
  expect(took).toBeLessThan(3 * DRAIN_MS);
  expect(server.process.exitCode).toBe(0);
  await expect.poll(() => agent.connections.size).toBe(0);
});
