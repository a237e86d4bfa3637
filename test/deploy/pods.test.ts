import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answersOk, EXECUTABLE, freePorts, ManagedProcess, postgresServer } from '../../tools/up/index.js';
import { findKubectl, Kubectl } from '../clients/kubectl.js';
import { WatchStream } from '../support/watch-stream.js';
import { type Manifest, render } from './helm.js';
import { type Made, OpenSsl } from './openssl.js';
import { Pod, type SecretFiles } from './pod.js';

const VALUES = [
  '--set=shutdown.delaySeconds=0,nats.bundled.enabled=false,auth.clientCaSecret=client-ca',
  '--set=apiServer.watchCacheBytes=64Mi,gateway.watchCacheBytes=64Mi',
];
const PASSWORD = 'correct-horse-battery';
const ROLES = ['api-server', 'watch-gateway'] as const;
type Role = (typeof ROLES)[number];
const PATH = '/api/v1/namespaces/default/configmaps';

let dir: string;
let objects: Manifest[];
let given: Record<string, SecretFiles>;
let openSsl: OpenSsl;
/** An authority of the operator's, and a caller with a certificate of it. */
let operators: Made;
let caller: Made;
let postgres: ManagedProcess;
const pods = {} as Record<Role, Pod>;
const servers = {} as Record<Role, ManagedProcess>;
const urls = {} as Record<Role, string>;

/** A Secret that an operator gives, else one that the chart makes. */
function secret(name: string): SecretFiles {
  const found = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const made = Object.entries((found?.data ?? {}) as Record<string, string>);
  return {
    ...Object.fromEntries(made.map(([file, text]) => [file, Buffer.from(text, 'base64').toString()])),
    ...given[name],
  };
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-pods-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  const [postgresPort = 0, ...ports] = await freePorts(3);
  openSsl = new OpenSsl(dir);
  operators = openSsl.authority('operators');
  caller = openSsl.leaf('caller', operators, { subject: '/O=system:masters/CN=jane', usage: 'clientAuth' });
  given = {
    'orch-postgres': { url: `postgres://postgres:${PASSWORD}@127.0.0.1:${postgresPort}/postgres` },
    'client-ca': { 'ca.crt': operators.cert },
  };
  objects = render('values', ...VALUES).objects;
  postgres = await postgresServer({ dir, port: postgresPort, detached: false }).start();
  for (const [at, role] of ROLES.entries()) urls[role] = `https://127.0.0.1:${ports[at]}`;
  for (const role of ROLES) servers[role] = await start(role);
}, 600_000);

afterAll(async () => {
  for (const role of ROLES) await servers[role]?.stop();
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs what the Deployment says, but for where it listens and where the other tier is. */
function start(role: Role): Promise<ManagedProcess> {
  const deployment = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `orch-${role}`);
  mkdirSync(join(dir, role));
  const pod = new Pod(deployment as Manifest, join(dir, role), secret);
  pods[role] = pod;
  const { port } = new URL(urls[role]);
  const args = pod.args.map((text) =>
    text
      .replace('=0.0.0.0', '=127.0.0.1')
      .replace('--secure-port=6443', `--secure-port=${port}`)
      .replace('https://orch-watch-gateway.orch.svc', urls['watch-gateway']),
  );
  const ca = secret('orch-servers')['ca.crt'] ?? '';
  return new ManagedProcess({
    name: role,
    command: process.execPath,
    args: [EXECUTABLE, ...args],
    env: pod.env,
    cwd: join(dir, role),
    logFile: join(dir, `${role}.log`),
    ready: () => answersOk(`${urls[role]}/readyz`, ca),
  }).start();
}

const caOf = () => secret('orch-servers')['ca.crt'] as string;

async function serialOf(role: Role): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(urls[role]).port), ca: caOf() });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const agentOf = ({ cert, key }: { cert: string; key: string }) => new Agent({ ca: caOf(), cert, key, keepAlive: true });

async function ask(agent: Agent, path: string, role: Role = 'api-server') {
  const [answer] = await once(request(`${urls[role]}${path}`, { agent }).end(), 'response');
  return answer;
}

async function statusOf(agent: Agent, role: Role = 'api-server'): Promise<number> {
  const answer = await ask(agent, PATH, role);
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

describe('pods as the chart describes them', () => {
  test('hold no key of an authority, nor of an identity that is not theirs', () => {
    const common = ['client-ca/ca.crt', 'pki/ca.crt', 'pki/front-proxy-ca.crt', 'pki/tls.crt', 'pki/tls.key'];
    const identities = {
      'api-server': ['aggregator', 'gateway-client', 'kubelet-client'],
      'watch-gateway': ['aggregator', 'kubelet-client'],
    };
    for (const role of ROLES) {
      const pairs = identities[role].flatMap((name) => [`pki/${name}.crt`, `pki/${name}.key`]);
      const paths = [...common, ...pairs].map((name) => `/etc/orch/${name}`).sort();
      expect([...pods[role].files.keys()].sort()).toEqual(paths);
    }
    const key = secret('orch-servers')['gateway-client.key'];
    expect(key).toContain('PRIVATE KEY');
    expect([...pods['watch-gateway'].files.values()]).not.toContain(key);
    const keys = [secret('orch-pki')['ca.key'], secret('orch-pki')['front-proxy-ca.key']];
    for (const role of ROLES) for (const text of pods[role].files.values()) expect(keys).not.toContain(text);
  });

  test('show secrets neither on their command lines nor in their logs', () => {
    for (const role of ROLES) {
      expect(readFileSync(`/proc/${servers[role].pid}/cmdline`, 'utf8')).not.toContain(PASSWORD);
      expect(readFileSync(`/proc/${servers[role].pid}/environ`, 'utf8'), 'it comes this way').toContain(PASSWORD);
      expect(readFileSync(servers[role].logFile, 'utf8')).not.toMatch(new RegExp(`${PASSWORD}|PRIVATE KEY|Warning`));
    }
  });

  test.each(['1.27', '1.33'] as const)(
    "serve kubectl %s with the administrator's kubeconfig, watches through a gateway",
    async (release) => {
      const kubeconfig = join(dir, `admin-${release}`);
      const text = secret('orch-admin').kubeconfig ?? '';
      writeFileSync(kubeconfig, text.replace(/server: .*/, `server: ${urls['api-server']}`), { mode: 0o600 });
      const kubectl = new Kubectl(findKubectl(release), kubeconfig);
      const name = `by-kubectl-${release.replace('.', '-')}`;
      await kubectl.ok(['create', 'configmap', name]);
      await kubectl.until(['get', 'configmaps', '--watch'], (stdout) => stdout.includes(name));
    },
  );

  test('take renewed certificates while watches go on', async () => {
    const pids = ROLES.map((role) => servers[role].pid);
    const before = await Promise.all(ROLES.map(serialOf));
    const agent = agentOf(caller);
    const stream = new WatchStream(await ask(agent, `${PATH}?watch=1`));
    const authority = (name: string) => {
      const files = { certFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) };
      writeFileSync(files.certFile, secret('orch-pki')[`${name}.crt`] ?? '');
      writeFileSync(files.keyFile, secret('orch-pki')[`${name}.key`] ?? '', { mode: 0o600 });
      return files;
    };
    const hosts = 'DNS:localhost,IP:127.0.0.1';
    const serving = openSsl.leaf('serving', authority('ca'), { subject: '/CN=servers', usage: 'serverAuth', hosts });
    const proxies = authority('front-proxy-ca');
    const identity = openSsl.leaf('gateway-client', proxies, { subject: '/CN=gateway-client', usage: 'clientAuth' });
    given['orch-servers'] = {
      'tls.crt': serving.cert,
      'tls.key': serving.key,
      'gateway-client.crt': identity.cert,
      'gateway-client.key': identity.key,
    };
    for (const role of ROLES) pods[role].sync();
    for (const [at, role] of ROLES.entries())
      await expect.poll(() => serialOf(role), { timeout: 10_000 }).not.toBe(before[at]);
    expect(ROLES.map((role) => servers[role].pid)).toEqual(pids);
    expect(stream.ended).toBe(false);
    const again = new WatchStream(await ask(agent, `${PATH}?watch=1`));
    expect(again.status, 'by the new identity').toBe(200);
    stream.close();
    again.close();
    agent.destroy();
  });

  test('take other authorities of callers, and drop those that are gone', async () => {
    const others = openSsl.authority('others');
    const newcomer = openSsl.leaf('newcomer', others, { subject: '/O=system:masters/CN=eve', usage: 'clientAuth' });
    const kept = agentOf(caller);
    const fresh = agentOf(newcomer);
    expect([await statusOf(kept), await statusOf(fresh)]).toEqual([200, 401]);
    fresh.destroy();
    given['client-ca'] = { 'ca.crt': others.cert };
    pods['api-server'].sync();
    await expect.poll(() => statusOf(kept), { timeout: 10_000 }).toBe(401);
    const taken = agentOf(newcomer);
    expect(await statusOf(taken)).toBe(200);
    expect(await statusOf(agentOf(caller), 'watch-gateway'), 'which nobody has told').toBe(200);
    for (const agent of [kept, taken]) agent.destroy();
  });

  test('stay with what they have when a file is no certificate, and say so', async () => {
    const { 'tls.crt': cert = '' } = secret('orch-servers');
    given['orch-servers'] = { ...given['orch-servers'], 'tls.crt': 'nothing' };
    const serial = await serialOf('watch-gateway');
    pods['watch-gateway'].sync();
    await expect
      .poll(() => readFileSync(servers['watch-gateway'].logFile, 'utf8'))
      .toContain('tls.crt: it contains no certificate');
    expect(await serialOf('watch-gateway')).toBe(serial);
    given['orch-servers'] = { ...given['orch-servers'], 'tls.crt': cert };
    pods['watch-gateway'].sync();
  });
});
