import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXECUTABLE, freePorts, ManagedProcess, ORCHCTL } from '../../../tools/up/index.js';
import { examplesOf } from '../../deploy/documents.js';
import { Api } from '../../support/api.js';
import { buildComponent, type Component } from './build-component.js';

/** Compiling the components. */
const BUILD_MS = 3_600_000;
const WAIT = { timeout: 60_000 };
const PAGE = 'components.md';
const EXAMPLES = examplesOf(PAGE);

let dir: string;
let server: ManagedProcess;
let serverPort = 0;
const components: ManagedProcess[] = [];

/** An address of this machine that others could reach: the page's server has one. */
const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((at) => at?.family === 'IPv4' && !at.internal)?.address;

/** Words of the command of the page that begins like this, with its places put into the folder of the test. */
function command(beginning: string): readonly string[] {
  const commands = EXAMPLES.flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'));
  const found = commands.find((each) => each.startsWith(`${beginning} `));
  if (found === undefined) throw new Error(`${PAGE} has no ${beginning}`);
  const placed = found
    .replaceAll('/var/lib/orch', join(dir, 'data'))
    .replaceAll('10.0.0.1', ADDRESS ?? '127.0.0.1')
    .replaceAll('6443', `${serverPort}`)
    .replaceAll("'", '');
  return placed.split(/ +/).slice(1);
}

const flagsOf = (words: readonly string[]): string[] =>
  words.map((word) => /^--[\w-]+/.exec(word)?.[0]).filter((flag) => flag !== undefined);

/** The table of credentials: user, group, and file of each. */
function identities(): readonly { user: string; group: string; file: string }[] {
  const page = readFileSync(fileURLToPath(new URL(`../../../docs/${PAGE}`, import.meta.url)), 'utf8');
  const rows = [...page.matchAll(/^\| .* \| `(.*)` \| (?:`(.*)` )?\| `(.*\.kubeconfig)` \|$/gm)];
  return rows.map(([, user = '', group = '', file = '']) => ({ user, group, file }));
}

/** What the file says that the page has somebody use. */
function credentialsOf(file: string) {
  const { users, clusters } = parse(readFileSync(join(dir, file), 'utf8'));
  const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
  const { server: url, 'certificate-authority-data': ca } = clusters[0].cluster;
  return { url, ca: atob(ca), cert: atob(cert), key: atob(key) };
}

async function start(name: Component): Promise<void> {
  const [port] = await freePorts(1);
  const own = ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${join(dir, name)}`];
  const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
  const component = new ManagedProcess({
    ...{ name, command: buildComponent(name), args: [...command(name), ...own], cwd: dir },
    logFile: join(dir, `${name}.log`),
    ready: async () => Boolean((await admin.get(lease)).json().spec?.holderIdentity),
  });
  components.push(component);
  await component.start();
}

let admin: Api;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-components-'));
  [serverPort = 0] = await freePorts(1);
  server = new ManagedProcess({
    ...{ name: 'orch', command: process.execPath, args: [EXECUTABLE, ...command('orch')] },
    ...{
      logFile: join(dir, 'orch.log'),
      ready: async () => readFileSync(join(dir, 'orch.log'), 'utf8').includes('serving'),
    },
  });
  await server.start();
  const [kubeconfig = '', ...options] = command('orchctl');
  const common = options.filter((option) => /^--(server|cert-dir)=/.test(option));
  for (const { user, group, file } of identities()) {
    const groups = group === '' ? [] : [`--group=${group}`];
    const args = [ORCHCTL, kubeconfig, ...common, `--user=${user}`, ...groups, `--out=${join(dir, file)}`];
    execFileSync(process.execPath, args);
  }
  const { cert, key, ...settings } = credentialsOf('admin.kubeconfig');
  admin = new Api({ ...settings, certificate: { cert, key } });
}, BUILD_MS);
afterAll(async () => {
  for (const each of components) if (each.running) await each.kill('SIGKILL');
  admin.close();
  await server.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

test('each file of the page is of the user and the group that the page says, and lets them in', async () => {
  expect(identities()).toHaveLength(5);
  for (const { user, group, file } of identities()) {
    const { cert, key, ...settings } = credentialsOf(file);
    const { O, CN } = new X509Certificate(cert).toLegacyObject().subject as Record<string, string | undefined>;
    expect([CN, O ?? ''], file).toEqual([user, group]);
    const api = new Api({ ...settings, certificate: { cert, key } });
    expect((await api.get('/version')).status).toBe(200);
    expect((await api.get('/api')).status, 'what only those may see who are authenticated').toBe(200);
    api.close();
  }
});

test(
  'the controller manager and the scheduler do their work with the options of the page',
  async () => {
    await start('kube-controller-manager');
    await start('kube-scheduler');
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const deployment = { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } };
    expect((await admin.post('/apis/apps/v1/namespaces/default/deployments', deployment)).status).toBe(201);
    const reasons = async () => {
      const { items } = (await admin.get('/api/v1/namespaces/default/pods')).json();
      return items.flatMap((pod: { status: { conditions?: { reason?: string }[] } }) =>
        (pod.status.conditions ?? []).map(({ reason }) => reason),
      );
    };
    await expect.poll(reasons, WAIT).toEqual(['Unschedulable']);
    const published = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt';
    await expect.poll(async () => (await admin.get(published)).status, WAIT).toBe(200);
  },
  BUILD_MS,
);

test('the node of the official suite is started with the options of the page', () => {
  const source = (file: string) =>
    readFileSync(fileURLToPath(new URL(`../../on-cluster/${file}`, import.meta.url)), 'utf8');
  for (const [program, file] of [
    ['kubelet', 'node.ts'],
    ['kube-proxy', 'network.ts'],
  ] as const) {
    const flags = flagsOf(command(program));
    expect(flags.length).toBeGreaterThan(2);
    for (const flag of flags) expect(source(file), `${flag} of ${program}`).toContain(flag);
  }
  const node = EXAMPLES.find(({ text }) => text.includes('kind: KubeletConfiguration'))?.text ?? '';
  const members = [...node.slice(node.indexOf('apiVersion')).matchAll(/\b(\w+):/g)].map(([, member = '']) => member);
  expect(members.length).toBeGreaterThan(8);
  for (const member of members) expect(source('node.ts')).toContain(`${member}:`);
});
