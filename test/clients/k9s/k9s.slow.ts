import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, freePorts } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import { startCluster } from '../../support/cluster.js';
import { makeServerFolder } from '../../support/run-folder.js';
import { type ConnectedPod, makeConnectedPod, TRANSLATING } from '../connected-pod.js';
import { findKubectl } from '../kubectl.js';
import { buildOperator } from '../operators/build-operator.js';
import { Terminal } from './terminal.js';

/** Compiling at first takes minutes. */
const SETUP_MS = 2_400_000;
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web';

let dir: string;
let cluster: Cluster;
let api: Api;
let pod: ConnectedPod;
let port: number;
let k9s: Terminal;

beforeAll(async () => {
  const { program } = buildOperator({ name: 'k9s', module: 'github.com/derailed/k9s', version: 'v0.50.16', main: '.' });
  dir = makeServerFolder('orch-k9s-');
  cluster = await startCluster({ dir, apiServers: 1, gateways: 1, serverArgs: TRANSLATING });
  api = new Api(cluster);
  [port = 0] = await freePorts(1);
  pod = await makeConnectedPod(cluster, port);
  await makeDeployment();
  k9s = new Terminal(
    [program, '--kubeconfig', cluster.kubeconfig, '--splashless', '--logoless', '--refresh=1', '-n=default', '-c=pods'],
    // It runs kubectl for a shell.
    { PATH: `${folderOfKubectl()}${delimiter}${process.env.PATH}`, K9S_CONFIG_DIR: dir, K9S_LOGS_DIR: dir },
  );
}, SETUP_MS);

afterAll(async () => {
  k9s?.close();
  api?.close();
  await cluster?.stop();
  await pod?.stop();
  rmSync(dir, { recursive: true, force: true });
});

function folderOfKubectl(): string {
  const folder = join(dir, 'bin');
  mkdirSync(folder);
  symlinkSync(findKubectl('1.33'), join(folder, 'kubectl'));
  return folder;
}

async function makeDeployment(): Promise<void> {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  expect((await api.post('/apis/apps/v1/namespaces/default/deployments', body)).status).toBe(201);
}

test('lists show what there is, and what comes', async () => {
  await k9s.shows('pods(default)[1]');
  await k9s.shows(/sessions .* Running/);
  await k9s.shows('v1.27.16+orch');
  const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'sessions' };
  await api.post(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'another' }, spec });
  await k9s.shows('pods(default)[2]');
  await api.delete(`${PODS}/another?gracePeriodSeconds=0`);
  await k9s.shows('pods(default)[1]');
});

test('YAML', async () => {
  k9s.press('y');
  await k9s.shows('YAML(default/sessions)');
  await k9s.shows(/kind: Pod.*name: sessions/s);
  k9s.press('Escape');
  await k9s.shows('pods(default)[1]');
});

test('logs, as they are written', async () => {
  k9s.press('l');
  await k9s.shows(/Logs\(default\/sessions:c\).* first /s);
  pod.log.write('second\n');
  await k9s.shows(/ first .* second /s);
  k9s.press('Escape');
  await k9s.shows('pods(default)[1]');
  await expect.poll(() => pod.connections.size).toBe(0);
});

test('a shell', async () => {
  k9s.press('s');
  await k9s.shows('Pod: default/sessions | Container: c');
  await k9s.shows('ready>');
  k9s.type('hello');
  k9s.press('Enter');
  await k9s.shows(/ready> hello\nHELLO\nready>/);
  k9s.press('C-d');
  await k9s.shows('pods(default)[1]');
  await expect.poll(() => pod.connections.size).toBe(0);
});

test('a forwarded port', async () => {
  k9s.press('F');
  await k9s.shows(new RegExp(`Container Port: c::${port}.*Local Port: +${port}`, 's'));
  // Behind its three fields is OK.
  k9s.press('Tab', 'Tab', 'Tab', 'Enter');
  await k9s.shows(`PortForward activated ${port}`);
  const ask = (word: string) => text(connect(port, '127.0.0.1').end(word));
  // It says so before it listens.
  await expect.poll(() => ask('one').catch(String)).toBe('ONE');
  expect(await Promise.all(['two', 'three'].map(ask))).toEqual(['TWO', 'THREE']);
});

test('scale', async () => {
  k9s.type(':deploy');
  k9s.press('Enter');
  await k9s.shows('deployments(default)[1]');
  k9s.press('s');
  await k9s.shows(/Scale deployment default\/web\?.*Replicas: 1/s);
  k9s.press('BSpace', '3', 'Tab', 'Enter');
  await k9s.shows('scaled successfully');
  expect((await api.get(DEPLOYMENT)).json()).toMatchObject({ spec: { replicas: 3 } });
  await k9s.shows('0/3');
});

test('delete', async () => {
  k9s.type(':pods');
  k9s.press('Enter');
  await k9s.shows('pods(default)[1]');
  k9s.press('C-d');
  await k9s.shows('Delete pods default/sessions?');
  k9s.press('Tab', 'Enter');
  await k9s.shows(/sessions .* Terminating/);
  expect((await api.get(`${PODS}/sessions`)).json()).toHaveProperty('metadata.deletionTimestamp');
});
