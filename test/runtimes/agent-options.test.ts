import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { request } from 'node:https';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXECUTABLE, freePorts, ManagedProcess } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { ownAddress } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Status and body of an answer; status 0 where nothing listens. */
const ask = (host: string, port: number, path: string, more: object = {}): Promise<Answer> =>
  new Promise((resolve) => {
    const target = { host, port, path, rejectUnauthorized: false, agent: false, ...more };
    const sent = ('plain' in more ? getPlain : request)(target, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.once('error', () => resolve({ status: 0, body: '' })).end();
  });
const health = (host: string, port: number) => ask(host, port, '/healthz', { plain: true });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

let dir: string;
let server: Standalone;
let api: Api;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'agent-options-'));
  server = await startStandalone({ users: ['chief'], strangers: ['stranger'] });
  api = new Api(server);
});
afterAll(async () => {
  api.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Started {
  readonly agent: ManagedProcess;
  readonly pid: number;
}

/** Starts `orch node-agent`, whose containers would be processes. */
async function startAgent(name: string, healthPort: number, host: string, args: readonly string[]): Promise<Started> {
  const agent = new ManagedProcess({
    ...{ name, command: process.execPath, logFile: join(dir, `${name}.log`) },
    args: [
      ...[EXECUTABLE, 'node-agent', '--naming=kubernetes', `--kubeconfig=${server.kubeconfig}`],
      ...[`--node-ip=${ownAddress()}`, `--root-dir=${join(dir, name)}`, `--healthz-port=${healthPort}`],
      ...['--container-runtime-endpoint=process:', '--process-isolation=none', '--fail-swap-on=false'],
      ...['--cgroups-per-qos=false', '--enforce-node-allocatable=', '--eviction-hard=', ...args],
    ],
    ready: async () => (await health(host, healthPort)).status === 200,
  });
  await agent.start();
  return { agent, pid: agent.pid ?? 0 };
}

describe('an agent', () => {
  let started: Started;
  let port: number;
  let healthPort: number;
  const certificates = () => join(dir, 'pki');

  beforeAll(async () => {
    [port = 0, healthPort = 0] = await freePorts(2);
    const config = join(dir, 'agent.yaml');
    const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
    writeFileSync(config, `${head}maxPods: 7\naddress: 0.0.0.0\noomScoreAdj: 300\nmaxOpenFiles: 5000\n`);
    started = await startAgent('plain', healthPort, '127.0.0.2', [
      ...[`--config=${config}`, `--port=${port}`, '--address=127.0.0.1', '--healthz-bind-address=127.0.0.2'],
      ...['--logging-format=json', '--log-flush-frequency=1h', `--cert-dir=${certificates()}`, '--oom-score-adj=200'],
      ...['--hostname-override=Plain', '--cluster-domain=example.test'],
    ]);
  });
  afterAll(() => started.agent.stop());

  test('--address and --port: it serves there alone', async () => {
    expect(await ask('127.0.0.1', port, '/healthz')).toEqual({ status: 200, body: 'ok' });
    expect(await ask(ownAddress(), port, '/healthz')).toMatchObject({ status: 0 });
  });

  test('--healthz-bind-address and --healthz-port: its health is told there alone, without TLS', async () => {
    expect(await health('127.0.0.2', healthPort)).toEqual({ status: 200, body: 'ok' });
    expect(await health('127.0.0.1', healthPort)).toMatchObject({ status: 0 });
  });

  test('--config: its fields are options, and those of the command line win', async () => {
    const { kubeletconfig } = JSON.parse((await ask('127.0.0.1', port, '/configz')).body);
    expect(kubeletconfig).toMatchObject({ maxPods: 7, address: '127.0.0.1', oomScoreAdj: 200, maxOpenFiles: 5000 });
    const capacity = async () => JSON.parse((await api.get('/api/v1/nodes/plain')).text).status?.capacity?.pods;
    await expect.poll(capacity, { timeout: 20_000 }).toBe('7');
  });

  test('--hostname-override: the name of its node', async () => {
    await expect.poll(async () => (await api.get('/api/v1/nodes/plain')).status, { timeout: 20_000 }).toBe(200);
    const { metadata } = JSON.parse((await api.get('/api/v1/nodes/plain')).text);
    expect(metadata.labels['kubernetes.io/hostname']).toBe('plain');
    expect(hostname()).not.toBe('plain');
  });

  test('--logging-format=json: lines of its log are JSON; --log-flush-frequency: they are there at once', () => {
    const lines = readFileSync(started.agent.logFile, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('the node agent serves');
  });

  test('--cert-dir: its certificate is there, with a key for its user alone', () => {
    const modes = readdirSync(certificates()).map((name) => statSync(join(certificates(), name)).mode & 0o777);
    expect(modes).toContain(0o600);
  });

  test('--max-open-files and --oom-score-adj are those of its process', () => {
    expect(readFileSync(`/proc/${started.pid}/limits`, 'utf8')).toMatch(/Max open files\s+5000\s+5000/);
    expect(readFileSync(`/proc/${started.pid}/oom_score_adj`, 'utf8').trim()).toBe('200');
  });

  test('--anonymous-auth and --authorization-mode, by default: anybody may do everything', async () => {
    expect(await ask('127.0.0.1', port, '/pods')).toMatchObject({ status: 200 });
    expect(await ask('127.0.0.1', port, '/runningpods/')).toMatchObject({ status: 200 });
  });
});

describe('an agent that asks who calls', () => {
  let started: Started;
  let port: number;
  let known: { readonly cert: string; readonly key: string };
  let foreign: { readonly cert: string; readonly key: string };

  beforeAll(async () => {
    const pki = (name: string) =>
      ensurePki({ certDir: join(dir, name), bindAddress: '127.0.0.1', names: { apiServiceName: 'a' }, extraHosts: [] });
    const [own, other] = [await pki('own'), await pki('other')];
    [known, foreign] = [own.admin, other.admin];
    writeFileSync(join(dir, 'clients.crt'), own.ca.cert);
    const [free = 0, healthPort = 0] = await freePorts(2);
    port = free;
    started = await startAgent('asking', healthPort, '127.0.0.1', [
      ...[`--port=${port}`, '--anonymous-auth=false', '--authentication-token-webhook', '--oom-score-adj=0'],
      ...['--authorization-mode=Webhook', `--client-ca-file=${join(dir, 'clients.crt')}`, '--hostname-override=asking'],
      ...['--enable-debugging-handlers=false', `--cert-dir=${join(dir, 'pki-asking')}`],
    ]);
  });
  afterAll(() => started.agent.stop());

  test('--anonymous-auth=false: who has no credentials is refused', async () => {
    expect(await ask('127.0.0.1', port, '/pods')).toEqual({ status: 401, body: 'Unauthorized' });
  });

  test('--authentication-token-webhook and --authorization-mode=Webhook: the API says who it is, and what is allowed', async () => {
    expect(await ask('127.0.0.1', port, '/pods', bearer('nobody'))).toMatchObject({ status: 401 });
    expect(await ask('127.0.0.1', port, '/pods', bearer('chief'))).toMatchObject({ status: 200 });
    expect(await ask('127.0.0.1', port, '/pods', bearer('stranger'))).toEqual({
      status: 403,
      body: 'Forbidden (user=stranger, verb=get, resource=nodes, subresource=proxy)',
    });
  });

  test('--client-ca-file: certificates of its authorities say who it is, and those of others nothing', async () => {
    expect(await ask('127.0.0.1', port, '/pods', known)).toMatchObject({ status: 200 });
    expect(await ask('127.0.0.1', port, '/pods', foreign)).toMatchObject({ status: 401 });
  });

  test('--enable-debugging-handlers=false: nothing of containers is served', async () => {
    const refused = { status: 405, body: 'Debug endpoints are disabled.\n' };
    for (const path of ['/runningpods/', '/containerLogs/n/p/c', '/exec/n/p/c', '/run/n/p/c', '/logs/'])
      expect(await ask('127.0.0.1', port, path, known)).toEqual(refused);
    expect(await ask('127.0.0.1', port, '/metrics/resource', known)).toMatchObject({ status: 200 });
  });
});

test('--enable-server=false: nothing is served but health', async () => {
  const [port = 0, healthPort = 0] = await freePorts(2);
  const { agent } = await startAgent('silent', healthPort, '127.0.0.1', [
    ...[`--port=${port}`, '--enable-server=false', '--oom-score-adj=0', '--hostname-override=silent'],
    `--cert-dir=${join(dir, 'pki-silent')}`,
  ]);
  expect(await ask('127.0.0.1', port, '/healthz')).toMatchObject({ status: 0 });
  await agent.stop();
});
