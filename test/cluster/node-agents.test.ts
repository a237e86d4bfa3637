import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { makePodOn, type NodeAgent, shownName, startNodeAgent } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { openUpgraded } from '../support/upgraded.js';
import { openWebSocket } from '../support/web-socket.js';

const DRAIN_MS = 2_000;
const POLICY = 'kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{ level: Metadata }]\n';
const SWITCHED =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n';

const HANDSHAKE = {
  ...{ Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' },
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

let dir: string;
let agent: NodeAgent;
let stranger: NodeAgent;
/** Speaks HTTP/2 as well. */
let modern: NodeAgent;
let server: Standalone;
let api: Api;
let pod: string;

const file = (name: string) => join(dir, name);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'node-agents-'));
  agent = await startNodeAgent();
  stranger = await startNodeAgent();
  modern = await startNodeAgent({ http2: true });
  writeFileSync(file('client.crt'), agent.client.cert);
  writeFileSync(file('client.key'), agent.client.key);
  writeFileSync(file('ca.crt'), agent.ca);
  writeFileSync(file('policy.yaml'), POLICY);
  server = await startStandalone({
    args: [
      `--kubelet-client-certificate=${file('client.crt')}`,
      `--kubelet-client-key=${file('client.key')}`,
      `--kubelet-certificate-authority=${file('ca.crt')}`,
      '--kubelet-preferred-address-types=ExternalIP,InternalIP',
      '--max-streams-per-user=2',
      '--feature-gates=TranslateStreamCloseWebsocketRequests=true',
      `--shutdown-drain-duration=${DRAIN_MS}ms`,
      `--audit-policy-file=${file('policy.yaml')}`,
      `--audit-log-path=${file('audit.log')}`,
    ],
    users: ['ann'],
    strangers: ['eve'],
  });
  api = new Api(server);
  await agent.join(api, 'known');
  await stranger.join(api, 'unknown');
  await modern.join(api, 'modern');
  pod = await makePodOn(api, 'default', 'p', 'known');
});

afterAll(async () => {
  api?.close();
  await server?.stop();
  await agent?.stop();
  await stranger?.stop();
  await modern?.stop();
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
  const metrics = (await api.get('/metrics')).text;
  const value = (line: string) =>
    metrics.split('\n').find((each) => each.startsWith(`kube_apiserver_pod_logs_${line} `));
  expect(value('insecure_backend_total{usage="skip_tls_allowed"}')).toMatch(/ 1$/);
  expect(value('insecure_backend_total{usage="enforce_tls"}')).toMatch(/ [1-9]\d*$/);
  expect(value('backend_tls_failure_total')).toMatch(/ 1$/);
  expect(value('pods_logs_backend_tls_failure_total')).toMatch(/ 1$/);
});

test('certificates are followed as their files change', async () => {
  stranger.answer = (_req, res) => res.end('line');
  writeFileSync(file('ca.crt'), `${agent.ca}${stranger.ca}`);
  const other = await makePodOn(api, 'default', 'later', 'unknown');
  await expect.poll(async () => (await api.get(`${other}/log`)).status, { timeout: 20_000 }).toBe(200);
});

test('connections over HTTP/2 are shared by requests with the same certificates, of which each was verified', async () => {
  modern.answer = (req, res) => {
    res.write(`${req.httpVersion} ${shownName(req)}`);
    if (!req.url?.includes('follow')) res.end();
  };
  const on = await makePodOn(api, 'default', 'on-modern', 'modern');
  expect((await api.get(`${on}/log?insecureSkipTLSVerifyBackend=true`)).text).toBe('2.0 admin');
  expect((await api.get(`${on}/log?insecureSkipTLSVerifyBackend=true`)).text).toBe('2.0 admin');
  expect(modern.connections.size).toBe(1);
  const refused = await api.get(`${on}/log`);
  expect(refused.json().message).toMatch(/: x509: certificate signed by unknown authority$/);
  writeFileSync(file('ca.crt'), `${agent.ca}${stranger.ca}${modern.ca}`);
  await expect.poll(async () => (await api.get(`${on}/log`)).status, { timeout: 20_000 }).toBe(200);
  const follow = () => api.open('GET', `${on}/log?follow=1`, {});
  const streams = [await follow(), await follow()];
  // One of requests that verify nothing by earlier certificates, one of those that verify.
  expect(modern.connections.size).toBe(2);
  const ended = streams.map(overOf);
  for (const socket of modern.connections) socket.destroy();
  await Promise.all(ended);
  expect((await api.get(`${on}/log`)).text).toBe('2.0 admin');
  expect(modern.connections.size).toBe(1);
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

/** Reads a stream until it is over, whole or not. */
const overOf = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream
      .on('error', () => undefined)
      .once('close', resolve)
      .resume();
  });

/** Opens `exec` of the pod as a user. */
const exec = (token = server.token) =>
  openUpgraded({ url: server.url, ca: server.ca, token }, 'POST', `${pod}/exec?command=ls`);

/** Opens `exec` of the pod over a WebSocket that is translated. */
const execInMessages = (token = server.token) =>
  openWebSocket({ url: server.url, ca: server.ca, token }, `${pod}/exec?command=ls&stdout=1`, ['v5.channel.k8s.io']);

/** An agent that switches, and then does nothing. */
const switches = (): void => {
  agent.upgrade = (_req, socket) => {
    socket.write(SWITCHED);
    // The end of a connection is seen behind what was sent.
    socket.resume();
  };
};

interface Event {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly responseStatus?: { readonly code: number };
}

const auditEvents = (id: string | undefined): Event[] =>
  readFileSync(file('audit.log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)
    .filter(({ auditID }) => auditID === id);

test('a connection is one request in audit log and metrics, with the code 101', async () => {
  switches();
  const { socket, headers } = await exec();
  const id = headers.find((line) => line.startsWith('Audit-Id: '))?.slice('Audit-Id: '.length);
  const outcomes = () => auditEvents(id).map(({ stage, verb, responseStatus }) => [stage, verb, responseStatus?.code]);
  const begun = [
    ['RequestReceived', 'create', undefined],
    ['ResponseStarted', 'create', 101],
  ];
  await expect.poll(outcomes).toEqual(begun);
  const SERIES = /apiserver_longrunning_requests\{[^}]*subresource="exec"[^}]*\} (\d+)/g;
  const open = async () =>
    [...(await api.get('/metrics')).text.matchAll(SERIES)].reduce((sum, [, value]) => sum + Number(value), 0);
  expect(await open()).toBe(1);
  socket.destroy();
  await expect.poll(outcomes).toEqual([...begun, ['ResponseComplete', 'create', 101]]);
  expect(await open()).toBe(0);
  const translated = await execInMessages();
  expect(await open()).toBe(1);
  translated.client.terminate();
  await expect.poll(open).toBe(0);
});

test('a connection ends when its right does', async () => {
  switches();
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] }];
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'exec' }, rules };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'exec' };
  const subjects = [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }];
  const binding = { ...role, kind: 'RoleBinding', rules: undefined, roleRef, subjects };
  expect((await exec('eve')).status).toBe(403);
  await api.post(`${rbac}/namespaces/default/roles`, role);
  await api.post(`${rbac}/namespaces/default/rolebindings`, binding);
  let opened = await exec('eve');
  while (opened.status === 403) opened = await exec('eve');
  const ended = once(opened.socket, 'close');
  opened.socket.resume();
  const { closed, status } = await execInMessages('eve');
  expect(status).toBe(101);
  await api.delete(`${rbac}/namespaces/default/rolebindings/exec`);
  await ended;
  expect(await closed).toBe(1006);
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('a server that stops ends logs that are followed, and connections, once its time is over', async () => {
  switches();
  const { socket } = await exec();
  const cut = once(socket, 'close');
  agent.answer = (req, res) => (req.url?.includes('follow') ? res.write('first\n') : res.end('line'));
  // It does not answer the close frame behind the log.
  const deaf = await openUpgraded(server, 'GET', `${pod}/log`, HANDSHAKE);
  expect(await deaf.read(12)).toBe('\x82\0\x82\x04line\x88\x02\x03\xe8');
  const left = once(deaf.socket, 'close');
  const streams = [pod, '/api/v1/namespaces/default/pods/on-modern'].map((of) =>
    api.open('GET', `${of}/log?follow=1`, {}),
  );
  const ended = (await Promise.all(streams)).map(overOf);
  const ann = { url: server.url, ca: server.ca, token: 'ann' };
  const messages = [await execInMessages('ann'), await openWebSocket(ann, `${pod}/log?follow=1`)];
  expect(messages.map(({ status }) => status)).toEqual([101, 101]);
  const began = performance.now();
  await server.process.stop();
  await Promise.all([...ended, cut, left]);
  expect(await Promise.all(messages.map(({ closed }) => closed))).toEqual([1006, 1006]);
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(DRAIN_MS / 2);
  expect(took).toBeLessThan(3 * DRAIN_MS);
  expect(server.process.exitCode).toBe(0);
  await expect.poll(() => agent.connections.size + modern.connections.size).toBe(0);
});
