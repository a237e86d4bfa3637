import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, answersOk, EXECUTABLE, ManagedProcess } from '../../tools/up/index.js';
import { OpenSsl } from '../deploy/openssl.js';
import { SERVER_ADDRESS, SERVICE_OF_THE_API, SERVICES } from './place.js';

/** Port of HTTPS of servers. */
export const PORT = 6443;
/** Address of the API server of a cluster. */
export const SERVER_URL = `https://${SERVER_ADDRESS}:${PORT}`;

/** The API server of a cluster, and the files that components beside it are given. */
export interface ClusterServer {
  readonly processes: readonly ManagedProcess[];
  /** Path of `ca.crt`, `ca.key` (authority of the server and of callers) or `service-account.key` (signs tokens). */
  pki(name: string): string;
  /** Bearer tokens by the names of identities, where nobody is known by a client certificate. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Starts it; resolves once it serves. */
  start(): Promise<void>;
}

/** Options that the servers of `orch` have in common, however many there are: how they are reached, and what they serve. */
export const sharedArgs: readonly string[] = [
  ...[`--advertise-address=${SERVER_ADDRESS}`, `--advertise-host=${SERVER_ADDRESS}`, '--naming=kubernetes'],
  ...[`--service-cluster-ip-range=${SERVICES}`, '--enable-admission-plugins=NodeRestriction'],
];

/** `orch standalone`, which makes its authorities and keys itself. */
export class StandaloneServer implements ClusterServer {
  readonly processes: ManagedProcess[] = [];
  readonly #data: string;

  constructor(private readonly dir: string) {
    this.#data = join(dir, 'data');
  }

  pki = (name: string): string => join(this.#data, 'pki', name);

  async start(): Promise<void> {
    mkdirSync(this.#data);
    const args = [
      ...[EXECUTABLE, 'standalone', `--secure-port=${PORT}`, '--bind-address=0.0.0.0', `--data-dir=${this.#data}`],
      ...sharedArgs,
    ];
    await startServing(this, this.dir, process.execPath, args);
  }
}

/** Programs of {@link ReferenceServer}. */
export interface ReferencePrograms {
  readonly apiserver: string;
  readonly etcd: string;
}

const ETCD_PORT = 2379;
const ETCD = `http://127.0.0.1:${ETCD_PORT}`;
const ETCD_PEERS = 'http://127.0.0.1:2380';

/** kube-apiserver of the release on etcd, to compare with: with authorities and keys such as installers make. */
export class ReferenceServer implements ClusterServer {
  readonly processes: ManagedProcess[] = [];
  readonly #pki: string;

  constructor(
    private readonly dir: string,
    private readonly programs: ReferencePrograms,
  ) {
    this.#pki = join(dir, 'pki');
  }

  pki = (name: string): string => join(this.#pki, name);

  async start(): Promise<void> {
    this.#makePki();
    const { etcd, apiserver } = this.programs;
    const database = new ManagedProcess({
      ...{ name: 'etcd', command: etcd, logFile: join(this.dir, 'etcd.log') },
      args: [
        ...[`--data-dir=${join(this.dir, 'etcd')}`, `--listen-client-urls=${ETCD}`, `--advertise-client-urls=${ETCD}`],
        ...[`--listen-peer-urls=${ETCD_PEERS}`, '--unsafe-no-fsync', '--log-level=error'],
      ],
      ready: () => accepts(ETCD_PORT),
    });
    this.processes.push(database);
    await database.start();
    await startServing(this, this.dir, apiserver, this.#args());
  }

  #args(): string[] {
    const file = (option: string, name: string) => `--${option}=${this.pki(name)}`;
    return [
      ...[`--etcd-servers=${ETCD}`, `--secure-port=${PORT}`, '--bind-address=0.0.0.0'],
      ...[`--advertise-address=${SERVER_ADDRESS}`, `--service-cluster-ip-range=${SERVICES}`],
      ...[
        file('tls-cert-file', 'server.crt'),
        file('tls-private-key-file', 'server.key'),
        file('client-ca-file', 'ca.crt'),
      ],
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      file('service-account-key-file', 'service-account.key'),
      file('service-account-signing-key-file', 'service-account.key'),
      ...['--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction', '--allow-privileged'],
      ...['--enable-bootstrap-token-auth', '--enable-aggregator-routing', '--requestheader-allowed-names=front-proxy'],
      file('requestheader-client-ca-file', 'front-proxy-ca.crt'),
      ...['username-headers=X-Remote-User', 'group-headers=X-Remote-Group'].map((each) => `--requestheader-${each}`),
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      file('proxy-client-cert-file', 'front-proxy.crt'),
      file('proxy-client-key-file', 'front-proxy.key'),
      file('kubelet-client-certificate', 'kubelet-client.crt'),
      file('kubelet-client-key', 'kubelet-client.key'),
    ];
  }

  #makePki(): void {
    mkdirSync(this.#pki);
    const openSsl = new OpenSsl(this.#pki);
    const [authority, frontProxies] = [openSsl.authority('ca'), openSsl.authority('front-proxy-ca')];
    openSsl.authority('service-account'); // for its key
    const names = [
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ];
    const hosts = [
      ...[SERVER_ADDRESS, SERVICE_OF_THE_API].map((ip) => `IP:${ip}`),
      ...names.map((name) => `DNS:${name}`),
    ];
    openSsl.leaf('server', authority, { subject: '/CN=kube-apiserver', usage: 'serverAuth', hosts: hosts.join(',') });
    const admin = '/O=system:masters/CN=kubelet-client';
    openSsl.leaf('kubelet-client', authority, { subject: admin, usage: 'clientAuth' });
    openSsl.leaf('front-proxy', frontProxies, { subject: '/CN=front-proxy', usage: 'clientAuth' });
  }
}

async function startServing(
  server: { readonly processes: ManagedProcess[]; pki(name: string): string },
  dir: string,
  command: string,
  args: readonly string[],
): Promise<void> {
  const process = new ManagedProcess({
    ...{ name: 'server', command, args, cwd: dir, logFile: join(dir, 'server.log') },
    ready: () => isReady(SERVER_URL, server.pki('ca.crt')),
  });
  server.processes.push(process);
  await process.start();
}

/** Whether a server says that it is ready, with a certificate of the authority in a file. */
export async function isReady(url: string, authority: string): Promise<boolean> {
  try {
    return await answersOk(`${url}/readyz`, readFileSync(authority, 'utf8'));
  } catch {
    return false; // before there is an authority
  }
}
