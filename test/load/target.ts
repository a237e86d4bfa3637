import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NamingProfile } from '@orch/machinery';
import { type Standalone, startStandalone } from '../support/standalone.js';
import type { Endpoint } from './connection.js';
import { benchResource, type Resource } from './resource.js';
import { ServerProcesses } from './usage.js';

/** A server under measurement, reached in one way. */
export interface Target {
  /** Names the column of results, as `orch plain`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly processes: ServerProcesses;
  readonly resource: Resource;
  /** Our own server, which can be started again and whose database is at hand. */
  readonly own?: OwnServer;
}

export interface OwnServer {
  readonly server: Standalone;
  /** Folder of the embedded database. */
  readonly databaseDir: string;
}

export interface Targets {
  /** The first two are ours, plain and over TLS; then the peer, if there is one. */
  readonly all: readonly Target[];
  stop(): Promise<void>;
}

/** Where a peer is: any server of the same API that runs already. */
export interface PeerSettings {
  readonly url: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly token?: string;
  /** Process ids of its servers, children included, comma-separated; a `+` behind one is accepted and means the same. */
  readonly pids?: string;
}

/** Our server with an embedded database, started for the measurement. */
export async function ownTargets(naming: NamingProfile, args: readonly string[] = []): Promise<Targets> {
  const server = await startStandalone({ naming, args });
  const processes = new ServerProcesses(() => [server.process.pid]);
  const own = { server, databaseDir: join(dirname(server.kubeconfig), 'data', 'postgres') };
  const { token, ca } = server;
  const secure: Endpoint = { ...addressOf(server.url), tls: { ca }, token };
  const plain: Endpoint = { ...addressOf(server.plainUrl), token };
  const resource = await benchResource(secure);
  return {
    all: [
      { name: 'orch plain', endpoint: plain, processes, resource, own },
      { name: 'orch TLS', endpoint: secure, processes, resource, own },
    ],
    stop: () => server.stop(),
  };
}

/** The settings of `PEER_URL`, `PEER_CA`, `PEER_CERT`, `PEER_KEY` (files), `PEER_TOKEN` and `PEER_PIDS`, if given. */
export function peerSettings(env: NodeJS.ProcessEnv): PeerSettings | undefined {
  if (!env.PEER_URL) return undefined;
  return {
    url: env.PEER_URL,
    ...(env.PEER_CA && { caFile: env.PEER_CA }),
    ...(env.PEER_CERT && { certFile: env.PEER_CERT }),
    ...(env.PEER_KEY && { keyFile: env.PEER_KEY }),
    ...(env.PEER_TOKEN && { token: env.PEER_TOKEN }),
    ...(env.PEER_PIDS && { pids: env.PEER_PIDS }),
  };
}

export async function peerTarget(settings: PeerSettings): Promise<Target> {
  const { url, caFile, certFile, keyFile, token, pids = '' } = settings;
  const tls = {
    ca: caFile ? readFileSync(caFile, 'utf8') : '',
    ...(certFile && { cert: readFileSync(certFile, 'utf8') }),
    ...(keyFile && { key: readFileSync(keyFile, 'utf8') }),
  };
  const secure = new URL(url).protocol === 'https:';
  const endpoint: Endpoint = { ...addressOf(url), ...(secure && { tls }), ...(token && { token }) };
  const roots = pids
    .split(',')
    .map((text) => Number.parseInt(text, 10))
    .filter(Number.isInteger);
  return {
    name: `peer ${secure ? 'TLS' : 'plain'}`,
    endpoint,
    processes: new ServerProcesses(() => roots),
    resource: await benchResource(endpoint),
  };
}

export function addressOf(url: string): Pick<Endpoint, 'host' | 'port' | 'base'> {
  const { hostname, port, protocol, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  return { host: hostname, port: port ? Number(port) : protocol === 'https:' ? 443 : 80, ...(base && { base }) };
}
