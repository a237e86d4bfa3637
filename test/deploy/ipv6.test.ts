import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillTemplate } from '../../tools/up/fill-template.js';
import {
  EXECUTABLE,
  findPrograms,
  freePorts,
  kubeconfig,
  ManagedProcess,
  postgresServer,
} from '../../tools/up/index.js';
import { answersOk } from '../../tools/up/ready.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../clients/kubectl.js';
import { Api } from '../support/api.js';

const TOKEN = 'token-of-the-administrator';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const deployed = (path: string) => fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url));

/** Containers may have no IPv6 at all: then there is nothing to try, which is no reason to fail. */
const hasIPv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));

const accepts6 = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '::1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const isReady = async (url: string, authority: string): Promise<boolean> =>
  existsSync(authority) && answersOk(`${url}/readyz`, readFileSync(authority, 'utf8'));

/** Both tiers, NATS and load balancers that listen on ::1 alone, and reach each other and PostgreSQL there. */
const withoutIPv4 = () => {
  const processes: ManagedProcess[] = [];
  let dir: string;
  let ca: string;
  let apiServer: string;
  const balancers: Record<string, string> = {};

  const url = (port: number) => `https://[::1]:${port}`;
  const pki = (name: string) => join(dir, 'pki', name);

  const started = async (name: string, command: string, args: readonly string[], ready: () => Promise<boolean>) => {
    const logFile = join(dir, `${name}.log`);
    processes.push(await new ManagedProcess({ name, command, args, cwd: dir, logFile, ready }).start());
  };

  /** The two tiers on their ports, and what is behind them. */
  async function startServers(api: number, gateway: number): Promise<void> {
    const [postgresPort = 0, nats = 0] = await freePorts(2);
    writeFileSync(join(dir, 'tokens.csv'), `${TOKEN},admin,admin,"system:masters"\n`, { mode: 0o600 });
    processes.push(await postgresServer({ dir, port: postgresPort, detached: false }).start());
    const listening = ['-a', '::1', '-p', String(nats), '-js', '-sd', join(dir, 'nats')];
    await started('nats', findPrograms().nats, listening, () => accepts6(nats));
    const server = (role: string, port: number, ...more: readonly string[]) => {
      const args = [
        ...[EXECUTABLE, role, '--naming=kubernetes', '--bind-address=::1', `--secure-port=${port}`, '--cert-dir=pki'],
        ...['--token-auth-file=tokens.csv', `--postgres-url=postgres://postgres@[::1]:${postgresPort}/postgres`],
        ...[`--nats-url=nats://[::1]:${nats}`, '--service-cluster-ip-range=fd00:10:96::/112', ...more],
      ];
      return started(role, process.execPath, args, () => isReady(url(port), pki('ca.crt')));
    };
    await server('api-server', api, `--gateway-url=${url(gateway)}`);
    await server('watch-gateway', gateway);
  }

  async function startHaproxy(api: number, gateway: number): Promise<void> {
    const [port = 0, health = 0] = await freePorts(2);
    const configuration = fillTemplate(deployed('haproxy/haproxy.cfg.template'), {
      ...{ BIND: `[::1]:${port}`, HEALTH_BIND: `[::1]:${health}`, ALPN: 'http/1.1', MAXCONN: '500' },
      ...{ API_SERVERS: `server a [::1]:${api}`, GATEWAYS: `server g [::1]:${gateway}`, UPSTREAM_NAME: 'localhost' },
      ...{ CERT_FILE: pki('apiserver.crt'), CLIENT_CA_FILE: pki('ca.crt'), CA_FILE: pki('ca.crt') },
      PROXY_CERT_FILE: pki('front-proxy.crt'),
    });
    writeFileSync(join(dir, 'haproxy.cfg'), configuration);
    balancers.HAProxy = url(port);
    const args = ['-db', '-f', 'haproxy.cfg'];
    await started('haproxy', findPrograms().haproxy, args, () => answersOk(`${url(port)}/readyz`, ca));
  }

  async function startNginx(api: number, gateway: number): Promise<void> {
    const [port = 0, hop = 0] = await freePorts(2);
    const configuration = fillTemplate(deployed('nginx/orch.conf.template'), {
      ...{ LISTEN: `[::1]:${port}`, HOP: `[::1]:${hop}`, UPSTREAM_NAME: 'localhost', CERT_FILE: pki('apiserver.crt') },
      ...{ KEY_FILE: pki('apiserver.key'), CA_FILE: pki('ca.crt') },
      ...{ API_SERVERS: `server [::1]:${api};`, GATEWAYS: `server [::1]:${gateway} max_fails=0;` },
    });
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const lines = [
      `daemon off; worker_processes 1; pid ${dir}/nginx.pid;`,
      process.getuid?.() === 0 ? 'user root;' : '',
      `events {}\nhttp { access_log off;`,
      ...temporary.map((use) => `${use}_temp_path ${dir}/${use};`),
      `${configuration}}`,
    ];
    writeFileSync(join(dir, 'nginx.conf'), `${lines.join('\n')}\n`);
    balancers.nginx = url(port);
    const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'nginx-error.log')];
    await started('nginx', findPrograms().nginx, args, () => answersOk(`${url(port)}/readyz`, ca));
  }

  beforeAll(async () => {
    findKubectl('1.33');
    dir = mkdtempSync(join(tmpdir(), 'orch-ipv6-'));
    chmodSync(dir, 0o711); // PostgreSQL may run as another user
    const [api = 0, gateway = 0] = await freePorts(2);
    await startServers(api, gateway);
    apiServer = url(api);
    ca = readFileSync(pki('ca.crt'), 'utf8');
    await startHaproxy(api, gateway);
    await startNginx(api, gateway);
  }, KUBECTL_BUILD_MS);

  afterAll(async () => {
    for (const each of processes.reverse()) await each.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const through = (url: string) => new Api({ url, ca, token: TOKEN });

  test.each(['HAProxy', 'nginx', 'no load balancer'])('writes and watches go through it: %s', async (name) => {
    const api = through(balancers[name] ?? apiServer);
    const stream = await api.watch(`${CONFIG_MAPS}?watch=1`);
    expect(stream.status).toBe(200);
    const made = await api.post(CONFIG_MAPS, { metadata: { generateName: 'a-' } });
    expect(made.status, made.text).toBe(201);
    await stream.until(({ object }) => object.metadata.name === made.json().metadata.name);
    stream.close();
    api.close();
  });

  test('kubectl believes the certificate by its address, and Services have addresses of IPv6', async () => {
    const file = join(dir, 'kubeconfig');
    writeFileSync(file, kubeconfig({ url: balancers.HAProxy ?? '', ca, token: TOKEN }), { mode: 0o600 });
    const kubectl = new Kubectl(findKubectl('1.33'), file);
    const address = async (name: string) =>
      kubectl.ok(['get', 'service', name, '-o', 'jsonpath={.spec.ipFamilies} {.spec.clusterIP}']);
    expect(await address('kubernetes')).toBe('["IPv6"] fd00:10:96::1');
    await kubectl.ok(['create', 'service', 'clusterip', 'web', '--tcp=80']);
    expect(await address('web')).toMatch(/^\["IPv6"\] fd00:10:96::/);
  });
};

const onBothFamilies = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orch-both-'));
  const [port = 0] = await freePorts(1);
  const authority = join(dir, 'data', 'pki', 'ca.crt');
  const options = ['--bind-address=::', `--secure-port=${port}`, '--data-dir=data', '--kubeconfig-out=kubeconfig'];
  const server = new ManagedProcess({
    name: 'standalone',
    command: process.execPath,
    args: [EXECUTABLE, 'standalone', '--naming=kubernetes', ...options],
    cwd: dir,
    logFile: join(dir, 'server.log'),
    ready: () => isReady(`https://127.0.0.1:${port}`, authority),
  });
  try {
    await server.start();
    for (const host of ['127.0.0.1', '[::1]', 'localhost'])
      expect(await isReady(`https://${host}:${port}`, authority), host).toBe(true);
    // Endpoints are of the family of the Service, which has an address of IPv4 here.
    const kubectl = new Kubectl(findKubectl('1.33'), join(dir, 'kubeconfig'));
    const slice = ['get', 'endpointslice', 'kubernetes', '-o', 'jsonpath={.addressType}'];
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const hasIPv4 = addresses.some(({ family, internal }) => family === 'IPv4' && !internal);
    await expect.poll(() => kubectl.run(slice).then(({ stdout }) => stdout)).toBe(hasIPv4 ? 'IPv4' : 'IPv6');
  } finally {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
};

if (hasIPv6) {
  describe('an installation without IPv4', withoutIPv4);
  test('a server that listens on :: answers both families, with a certificate of both', onBothFamilies);
} else {
  test('this machine has no IPv6, so nothing was tried', () => expect(hasIPv6).toBe(false));
}
