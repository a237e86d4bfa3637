import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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
  /** Our own server, whose database is at hand. */
  readonly own?: OwnServer;
  /** Absent where nobody knows how. */
  readonly power?: Power;
}

/** Ends a server, its database included, and starts it with the data that it has. */
export interface Power {
  off(): Promise<unknown>;
  on(): Promise<unknown>;
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

/** Address and credentials of a peer: any running server of the same API. */
export interface PeerSettings {
  readonly url: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly token?: string;
  /** Process ids of its servers, children included, comma-separated; a `+` behind one is accepted and means the same. */
  readonly pids?: string;
  /** Commands of the shell: one ends it, the other starts it again with its data and prints `pids` anew. */
  readonly power?: { readonly off: string; readonly on: string };
}

/** Our server with an embedded database, started for the measurement. */
export async function ownTargets(naming: NamingProfile, args: readonly string[] = []): Promise<Targets> {
  const server = await startStandalone({ naming, args });
  const processes = new ServerProcesses(() => [server.process.pid]);
  const own = { server, databaseDir: join(dirname(server.kubeconfig), 'data', 'postgres') };
  const power: Power = { off: () => server.process.stop(), on: () => server.process.start() };
  const { token, ca } = server;
  const secure: Endpoint = { ...addressOf(server.url), tls: { ca }, token };
  const plain: Endpoint = { ...addressOf(server.plainUrl), token };
  const resource = await benchResource(secure);
  return {
    all: [
      { name: 'orch plain', endpoint: plain, processes, resource, own, power },
      { name: 'orch TLS', endpoint: secure, processes, resource, own, power },
    ],
    stop: () => server.stop(),
  };
}

/** The settings of `PEER_URL`, `PEER_CA`, `PEER_CERT`, `PEER_KEY` (files), `PEER_TOKEN`, `PEER_PIDS`, `PEER_STOP` and `PEER_START`, if given. */
export function peerSettings(env: NodeJS.ProcessEnv): PeerSettings | undefined {
  if (!env.PEER_URL) return undefined;
  return {
    url: env.PEER_URL,
    ...(env.PEER_CA && { caFile: env.PEER_CA }),
    ...(env.PEER_CERT && { certFile: env.PEER_CERT }),
    ...(env.PEER_KEY && { keyFile: env.PEER_KEY }),
    ...(env.PEER_TOKEN && { token: env.PEER_TOKEN }),
    ...(env.PEER_PIDS && { pids: env.PEER_PIDS }),
    ...(env.PEER_STOP && env.PEER_START && { power: { off: env.PEER_STOP, on: env.PEER_START } }),
  };
}

export async function peerTarget(settings: PeerSettings): Promise<Target> {
  const { url, caFile, certFile, keyFile, token, pids = '', power } = settings;
  const tls = {
    ca: caFile ? readFileSync(caFile, 'utf8') : '',
    ...(certFile && { cert: readFileSync(certFile, 'utf8') }),
    ...(keyFile && { key: readFileSync(keyFile, 'utf8') }),
  };
  const secure = new URL(url).protocol === 'https:';
  const endpoint: Endpoint = { ...addressOf(url), ...(secure && { tls }), ...(token && { token }) };
  let roots = processIds(pids);
  const shell = async (command: string) => (await run('sh', ['-c', command])).stdout;
  const powerOf = ({ off, on }: NonNullable<PeerSettings['power']>): Power => ({
    off: () => shell(off),
    on: async () => {
      roots = processIds(await shell(on));
    },
  });
  return {
    name: `peer ${secure ? 'TLS' : 'plain'}`,
    endpoint,
    processes: new ServerProcesses(() => roots),
    resource: await benchResource(endpoint),
    ...(power && { power: powerOf(power) }),
  };
}

const run = promisify(execFile);

/** Reads process ids, comma-separated. */
export const processIds = (text: string): number[] =>
  text
    .split(',')
    .map((each) => Number.parseInt(each, 10))
    .filter(Number.isInteger);

export function addressOf(url: string): Pick<Endpoint, 'host' | 'port' | 'base'> {
  const { hostname, port, protocol, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  return { host: hostname, port: port ? Number(port) : protocol === 'https:' ? 443 : 80, ...(base && { base }) };
}
