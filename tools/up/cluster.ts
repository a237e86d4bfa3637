import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePki, type Pki } from '@orch/authentication';
import { type NamingProfile, namesOf } from '@orch/machinery';
import { natsServer, postgresServer, postgresUrl, redisServer } from './backends.js';
import { kubeconfig } from './kubeconfig.js';
import { loadBalancer } from './load-balancer.js';
import { ManagedProcess } from './managed-process.js';
import { freePorts } from './ports.js';
import { findPrograms } from './programs.js';
import { answersOk } from './ready.js';

/** The executable, as `npm ci` and a build leave it. */
export const EXECUTABLE = fileURLToPath(new URL('../../services/orch/bin/orch.js', import.meta.url));

export interface ClusterSettings {
  /** Holds data, logs, certificates and kubeconfig. As root, all directories above must be passable for others. */
  readonly dir: string;
  /** Numbers of processes; 2 each when absent. With no gateways the api-servers serve watches. */
  readonly apiServers?: number;
  readonly gateways?: number;
  /** `kubernetes` when absent: existing clients work. */
  readonly naming?: NamingProfile;
  /** Port of the load balancer; a free one when absent. */
  readonly port?: number;
  /** Further options of every api-server and gateway. */
  readonly serverArgs?: readonly string[];
  /** The processes go on when the starter exits. */
  readonly detached?: boolean;
}

/** A running cluster behind a load balancer. */
export interface Cluster {
  /** Address of the load balancer: HTTPS with a certificate of `ca`. */
  readonly url: string;
  /** Addresses of the single api-servers, in the order of `apiServers`. */
  readonly apiServerUrls: readonly string[];
  /** Addresses of the single gateways, in the order of `gateways`. */
  readonly gatewayUrls: readonly string[];
  /** PEM. */
  readonly ca: string;
  /** Bearer token of an administrator. */
  readonly token: string;
  /** Path of a kubeconfig with the above. */
  readonly kubeconfig: string;
  readonly postgresUrl: string;
  readonly postgres: ManagedProcess;
  readonly nats: ManagedProcess;
  readonly redis: ManagedProcess;
  readonly loadBalancer: ManagedProcess;
  readonly apiServers: readonly ManagedProcess[];
  readonly gateways: readonly ManagedProcess[];
  /** Every process, in the order of starting. */
  readonly processes: readonly ManagedProcess[];
  /** Ends all of them, those started last first. */
  stop(): Promise<void>;
}

/** Starts PostgreSQL, NATS, Redis, api-servers, gateways and nginx on free ports of loopback; resolves when all serve. */
export async function startCluster(settings: ClusterSettings): Promise<Cluster> {
  const { dir, apiServers = 2, gateways = 2, naming = 'kubernetes', detached = false } = settings;
  mkdirSync(dir, { recursive: true });
  const programs = findPrograms();
  const [postgresPort, natsPort, redisPort, freePort, ...serverPorts] = await freePorts(4 + apiServers + gateways);
  if (postgresPort === undefined || natsPort === undefined || redisPort === undefined || freePort === undefined) {
    throw new Error('too few free ports');
  }
  const port = settings.port ?? freePort;
  const apiServerPorts = serverPorts.slice(0, apiServers);
  const gatewayPorts = serverPorts.slice(apiServers);
  const url = localUrl(port);

  const pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf(naming) });
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(dir, 'tokens.csv');
  writeFileSync(tokenFile, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const kubeconfigFile = join(dir, 'kubeconfig');
  writeFileSync(kubeconfigFile, kubeconfig({ url, ca: pki.ca.cert, token }), { mode: 0o600 });

  const postgres = postgresServer({ dir, port: postgresPort, detached }, programs);
  const nats = natsServer({ dir, port: natsPort, detached }, programs);
  const redis = redisServer({ dir, port: redisPort, detached }, programs);
  const server = serverFactory({
    dir,
    detached,
    pki,
    args: [
      `--naming=${naming}`,
      `--token-auth-file=${tokenFile}`,
      `--postgres-url=${postgresUrl(postgresPort)}`,
      `--nats-url=nats://127.0.0.1:${natsPort}`,
      `--redis-url=redis://127.0.0.1:${redisPort}`,
      ...(settings.serverArgs ?? []),
    ],
  });
  const handOver = gatewayPorts.map((at) => `--gateway-url=${localUrl(at)}`);
  const apiServerProcesses = apiServerPorts.map((at, index) => server('api-server', index, at, handOver));
  const gatewayProcesses = gatewayPorts.map((at, index) => server('watch-gateway', index, at, []));
  const { certFile, keyFile } = pki.serving;
  const files = { certFile, keyFile, caFile: pki.ca.certFile };
  const balancer = loadBalancer({ dir, port, detached, apiServerPorts, gatewayPorts, ...files }, programs.nginx);

  const processes = [postgres, nats, redis, ...apiServerProcesses, ...gatewayProcesses, balancer];
  const stop = async () => {
    for (const process of processes.toReversed()) await process.stop();
  };
  try {
    await Promise.all([postgres.start(), nats.start(), redis.start()]);
    for (const process of [...apiServerProcesses, ...gatewayProcesses, balancer]) await process.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    apiServerUrls: apiServerPorts.map(localUrl),
    gatewayUrls: gatewayPorts.map(localUrl),
    ca: pki.ca.cert,
    token,
    kubeconfig: kubeconfigFile,
    postgresUrl: postgresUrl(postgresPort),
    postgres,
    nats,
    redis,
    loadBalancer: balancer,
    apiServers: apiServerProcesses,
    gateways: gatewayProcesses,
    processes,
    stop,
  };
}

const localUrl = (port: number): string => `https://127.0.0.1:${port}`;

interface ServerFactorySettings {
  readonly dir: string;
  readonly detached: boolean;
  readonly pki: Pki;
  readonly args: readonly string[];
}

function serverFactory({ dir, detached, pki, args }: ServerFactorySettings) {
  return (role: 'api-server' | 'watch-gateway', index: number, port: number, further: readonly string[]) => {
    const name = `${role}-${index}`;
    const own = [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(dir, 'pki')}`];
    return new ManagedProcess({
      name,
      command: process.execPath,
      args: [EXECUTABLE, role, ...own, ...args, ...further],
      cwd: dir,
      logFile: join(dir, `${name}.log`),
      detached,
      ready: () => answersOk(`${localUrl(port)}/readyz`, pki.ca.cert),
    });
  };
}
