import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { type NamingProfile, namesOf } from '@orch/machinery';
import { natsServer, postgresServer, postgresUrl } from './backends.js';
import { EXECUTABLE } from './executable.js';
import { kubeconfig } from './kubeconfig.js';
import { type LoadBalancerKind, loadBalancer } from './load-balancer.js';
import { ManagedProcess } from './managed-process.js';
import { freePorts } from './ports.js';
import { findPrograms } from './programs.js';
import { answersOk } from './ready.js';
import { letUsersIn } from './rights.js';

/** Settings of {@link startCluster}. */
export interface ClusterSettings {
  /** Holds data, logs, certificates and kubeconfig. As root, all directories above must be passable for others. */
  readonly dir: string;
  /** Numbers of processes; 2 each when absent. With no gateways the api-servers serve watches. */
  readonly apiServers?: number;
  readonly gateways?: number;
  /** `kubernetes` when absent: existing clients work. */
  readonly naming?: NamingProfile;
  /** Load balancer in front; nginx when absent. */
  readonly loadBalancer?: LoadBalancerKind;
  /** Port of the load balancer; a free one when absent. */
  readonly port?: number;
  /** The executable of a server (`api-server-0`, `watch-gateway-1`), asked for once; this build's when absent. */
  readonly executable?: (server: string) => string;
  /** Variables of the environment of a server, beside those of the starter. */
  readonly env?: (server: string) => Readonly<Record<string, string>>;
  /** Users beside the administrator who may do everything: the user of each bearer token. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** The same, but they may do nothing of themselves. */
  readonly strangers?: Readonly<Record<string, string>>;
  /** Further options of every api-server and gateway. */
  readonly serverArgs?: readonly string[];
  /** Further options of the api-servers alone, and of the gateways. */
  readonly apiServerArgs?: readonly string[];
  readonly gatewayArgs?: readonly string[];
  /** Role of PostgreSQL as which a server (`api-server-0`, `watch-gateway-1`) connects; the superuser when absent. */
  readonly databaseRole?: (server: string) => string;
  /** Done when the backends run, and before any server starts. */
  readonly prepare?: (backends: { readonly postgresUrl: string; readonly natsUrl: string }) => Promise<void>;
  /** Further options of NATS. */
  readonly natsArgs?: readonly string[];
  /** The processes go on when the starter exits. */
  readonly detached?: boolean;
  /**
   * Returns the port at which a server (`api-server-0`, `watch-gateway-1`) finds a backend, given the backend's own
   * port: that of a proxy in between, say. The backend itself when absent.
   */
  readonly route?: (server: string, backend: Backend, port: number) => Promise<number>;
}

/** A server that api-servers and gateways depend on. */
export type Backend = 'postgres' | 'nats';

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
  /** URL of PostgreSQL for the superuser. */
  readonly postgresUrl: string;
  /** URL of NATS. */
  readonly natsUrl: string;
  /** Process of PostgreSQL. */
  readonly postgres: ManagedProcess;
  /** Process of NATS. */
  readonly nats: ManagedProcess;
  /** Process of the load balancer. */
  readonly loadBalancer: ManagedProcess;
  /** Plain HTTP address of the load balancer itself: health, and metrics of HAProxy. */
  readonly loadBalancerHealthUrl: string;
  /** Processes of the api-servers, in the order of `apiServerUrls`. */
  readonly apiServers: readonly ManagedProcess[];
  /** Processes of the gateways, in the order of `gatewayUrls`. */
  readonly gateways: readonly ManagedProcess[];
  /** Every process, in the order of starting. */
  readonly processes: readonly ManagedProcess[];
  /** Ends all of them: the load balancer, then the servers, then the backends. */
  stop(): Promise<void>;
}

/** Starts backends, api-servers, gateways and the load balancer on free ports of loopback; resolves when all serve. */
export async function startCluster(settings: ClusterSettings): Promise<Cluster> {
  const { dir, apiServers = 2, gateways = 2, naming = 'kubernetes', detached = false } = settings;
  mkdirSync(dir, { recursive: true });
  const programs = findPrograms();
  const ports = await freePorts(4 + apiServers + gateways);
  const [postgresPort = 0, natsPort = 0, freePort = 0, healthPort = 0, ...serverPorts] = ports;
  const port = settings.port ?? freePort;
  const apiServerPorts = serverPorts.slice(0, apiServers);
  const gatewayPorts = serverPorts.slice(apiServers);
  const url = localUrl(port);

  const pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf(naming) });
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(dir, 'tokens.csv');
  const all = { ...settings.tokens, ...settings.strangers };
  const users = Object.entries(all).map(([own, user]) => `${own},${user},${user}\n`);
  const admin = `${token},admin,admin,"system:masters"\n`;
  writeFileSync(tokenFile, admin + users.join(''), { mode: 0o600 });
  const kubeconfigFile = join(dir, 'kubeconfig');
  writeFileSync(kubeconfigFile, kubeconfig({ url, ca: pki.ca.cert, token }), { mode: 0o600 });

  const postgres = postgresServer({ dir, port: postgresPort, detached }, programs);
  const nats = natsServer({ dir, port: natsPort, detached }, programs, settings.natsArgs);
  const server = serverFactory({
    ...{ dir, detached, pki },
    executable: settings.executable ?? (() => EXECUTABLE),
    env: settings.env ?? (() => ({})),
    args: [`--naming=${naming}`, `--token-auth-file=${tokenFile}`, ...(settings.serverArgs ?? [])],
  });
  const { route = async (_server, _backend, own) => own } = settings;
  const backends = async (name: string): Promise<string[]> => [
    `--postgres-url=${postgresUrl(await route(name, 'postgres', postgresPort), settings.databaseRole?.(name))}`,
    `--nats-url=nats://127.0.0.1:${await route(name, 'nats', natsPort)}`,
  ];
  const handOver = gatewayPorts.map((at) => `--gateway-url=${localUrl(at)}`);
  const servers = (role: ServerRole, ports: readonly number[], further: readonly string[]) =>
    Promise.all(
      ports.map(async (at, index) => {
        const name = `${role}-${index}`;
        return server(role, name, at, [...(await backends(name)), ...further]);
      }),
    );
  const apiServerProcesses = await servers('api-server', apiServerPorts, [
    ...handOver,
    ...(settings.apiServerArgs ?? []),
  ]);
  const gatewayProcesses = await servers('watch-gateway', gatewayPorts, settings.gatewayArgs ?? []);
  const { certFile, keyFile } = pki.serving;
  const files = { certFile, keyFile, caFile: pki.ca.certFile, proxyCertFile: pki.proxy.certFile };
  const watchPorts = gateways > 0 ? gatewayPorts : apiServerPorts;
  const behind = { apiServers: apiServerPorts.map(local), gateways: watchPorts.map(local), healthPort };
  const place = { dir, port, detached };
  const balancer = loadBalancer(settings.loadBalancer ?? 'nginx', { ...place, ...behind, ...files }, programs);

  const processes = [postgres, nats, ...apiServerProcesses, ...gatewayProcesses, balancer];
  const stop = async () => {
    const servers = [...apiServerProcesses, ...gatewayProcesses];
    await balancer.stop();
    await Promise.all(servers.map((process) => process.stop()));
    await Promise.all([nats.stop(), postgres.stop()]);
  };
  try {
    await Promise.all([postgres.start(), nats.start()]);
    await settings.prepare?.({ postgresUrl: postgresUrl(postgresPort), natsUrl: natsUrl(natsPort) });
    // The first makes the schema and leads; the others start together. All serve before the balancer checks them.
    const [first, ...others] = [...apiServerProcesses, ...gatewayProcesses];
    await first?.start();
    await allOf(others.map((process) => process.start()));
    await balancer.start();
    const api = localUrl(apiServerPorts[0] ?? port);
    await letUsersIn({ url: api, ca: pki.ca.cert, token, naming }, Object.values(settings.tokens ?? {}));
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
    natsUrl: natsUrl(natsPort),
    postgres,
    nats,
    loadBalancer: balancer,
    loadBalancerHealthUrl: `http://127.0.0.1:${healthPort}`,
    apiServers: apiServerProcesses,
    gateways: gatewayProcesses,
    processes,
    stop,
  };
}

const natsUrl = (port: number): string => `nats://127.0.0.1:${port}`;

/** Resolves when all have started; rejects with the first error once no start is in progress any more. */
async function allOf(starts: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(starts)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

const local = (port: number): string => `127.0.0.1:${port}`;
const localUrl = (port: number): string => `https://${local(port)}`;

interface ServerFactorySettings {
  readonly executable: (server: string) => string;
  readonly env: (server: string) => Readonly<Record<string, string>>;
  readonly dir: string;
  readonly detached: boolean;
  readonly pki: Pki;
  readonly args: readonly string[];
}

type ServerRole = 'api-server' | 'watch-gateway';

function serverFactory({ executable, env, dir, detached, pki, args }: ServerFactorySettings) {
  return (role: ServerRole, name: string, port: number, further: readonly string[]) => {
    const own = [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(dir, 'pki')}`];
    // A cluster of one machine is there to be tried. Another release may not know the option.
    if (role === 'api-server' && executable(name) === EXECUTABLE) own.push('--warm-up=0s');
    return new ManagedProcess({
      name,
      command: process.execPath,
      args: [executable(name), role, ...own, ...further, ...args],
      env: env(name),
      cwd: dir,
      logFile: join(dir, `${name}.log`),
      detached,
      ready: () => answersOk(`${localUrl(port)}/readyz`, pki.ca.cert),
    });
  };
}
