import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  answersOk,
  EXECUTABLE,
  freePorts,
  ManagedProcess,
  ORCHCTL,
  postgresServer,
  redisServer,
  waitUntil,
} from '../../../tools/up/index.js';
import { answersPlain } from '../../../tools/up/ready.js';
import { sql } from '../../faults/stage/sql.js';
import { type Manifest, render } from '../helm.js';
import { Pod, type SecretFiles } from '../pod.js';
import { BundledNats, natsVariables } from './bundled-nats.js';

/** Every credential that the chart takes comes from a Secret of its own. */
const VALUES = {
  ...{ 'pki.mode': 'secret', 'pki.secretName': 'servers', 'loadBalancer.secretName': 'balancer' },
  ...{ 'auth.clientCaSecret': 'client-ca', 'auth.serviceAccountKeySecret': 'sa-keys', 'auth.tokenSecret': 'tokens' },
  ...{ 'auth.clusterSigningSecret': 'signing', 'postgres.migratorUrlKey': 'migrator' },
  ...{ 'postgres.apiServerUrlKey': 'api-server', 'postgres.gatewayUrlKey': 'gateway' },
  ...{ 'nats.bundled.replicas': '1', 'nats.auth.secret': 'nats', 'nats.auth.gatewaySecret': 'nats-gateway' },
  ...{ 'shutdown.delaySeconds': '3', 'shutdown.drainSeconds': '10', 'config.historyRetention': '15s' },
  'loadBalancer.maxConnections': '500',
  ...{ 'apiServer.watchCacheBytes': '64Mi', 'gateway.watchCacheBytes': '64Mi' },
  'optionFiles.encryption-provider-config.secret': 'encryption',
  'optionFiles.encryption-provider-config.key': 'config.yaml',
  'optionFiles.redis-key-file.secret': 'redis',
  'optionFiles.redis-key-file.key': 'key',
  'pods.extraEnv[0].name': 'ORCH_REDIS_URL',
  'pods.extraEnv[0].valueFrom.secretKeyRef.name': 'redis',
  'pods.extraEnv[0].valueFrom.secretKeyRef.key': 'url',
};
const ROLES = ['api-server', 'watch-gateway'] as const;
type Role = (typeof ROLES)[number];
const REPLICAS = 2;

/** Renders the chart with the values, some of them replaced. */
function chart(others: Readonly<Record<string, string>> = {}): readonly Manifest[] {
  const pairs = Object.entries({ ...VALUES, ...others }).map((pair) => pair.join('='));
  return render('values', `--set=${pairs.join(',')}`).objects;
}

const find = (objects: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === `orch-${name}`);
  if (!found) throw new Error(`the chart has no ${kind} ${name}`);
  return found;
};

const natsEnvironment = (objects: readonly Manifest[]) =>
  find(objects, 'StatefulSet', 'nats').spec.template.spec.containers[0].env;
const natsConfiguration = (objects: readonly Manifest[]): string =>
  find(objects, 'ConfigMap', 'nats').data['nats.conf'];

/** Ports of the parts of the installation. */
export interface Ports {
  readonly postgres: number;
  readonly redis: number;
  readonly balancer: number;
  /** Port of HAProxy's own status. */
  readonly health: number;
}

/** A pod of a server. */
export interface Server {
  readonly role: Role;
  readonly url: string;
  readonly port: number;
  readonly pod: Pod;
  readonly process: ManagedProcess;
  readonly env: Record<string, string>;
}

/** The deployment of the chart as processes: two tiers, HAProxy, NATS; with PostgreSQL and Redis. */
export class RotationStage {
  readonly dir = mkdtempSync(join(tmpdir(), 'orch-rotation-'));
  readonly #secrets: Record<string, SecretFiles> = {};
  readonly #objects: readonly Manifest[];
  readonly #processes: ManagedProcess[] = [];
  readonly servers: Server[] = [];
  #ports: Ports | undefined;
  #nats: BundledNats | undefined;
  #balancer: Pod | undefined;

  constructor() {
    chmodSync(this.dir, 0o711); // PostgreSQL may run as another user
    this.#objects = chart();
  }

  get ports(): Ports {
    if (!this.#ports) throw new Error('nothing listens yet');
    return this.#ports;
  }

  get postgresUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.ports.postgres}/postgres`;
  }

  /** Address of the load balancer. */
  get url(): string {
    return `https://127.0.0.1:${this.ports.balancer}`;
  }

  /** Starts what servers need; Secrets can then name where it is. */
  async startBackends(): Promise<void> {
    const [postgres = 0, redis = 0, balancer = 0, health = 0] = await freePorts(4);
    this.#ports = { postgres, redis, balancer, health };
    const { dir } = this;
    const started = [
      postgresServer({ dir, port: postgres, detached: false }).start(),
      redisServer({ dir, port: redis, detached: false }).start(),
    ];
    this.#processes.push(...(await Promise.all(started)));
    const trusted = ['local all postgres trust', 'host all postgres 127.0.0.1/32 trust'];
    writeFileSync(
      join(dir, 'postgres', 'pg_hba.conf'),
      [...trusted, 'host all all 127.0.0.1/32 scram-sha-256', ''].join('\n'),
    );
    await sql(this.postgresUrl, 'SELECT pg_reload_conf()');
  }

  /** Writes Secrets, and brings them to every pod as a kubelet does. */
  write(secrets: Readonly<Record<string, SecretFiles>>): void {
    for (const [name, files] of Object.entries(secrets)) this.#secrets[name] = { ...this.#secrets[name], ...files };
    for (const { pod } of this.servers) pod.sync();
    this.#balancer?.sync();
  }

  /** Like `write`, for files of servers and the load balancer. Resolves when all of them have logged the reload. */
  async writeForAll(secrets: Readonly<Record<string, SecretFiles>>): Promise<void> {
    const before = this.#readings();
    this.write(secrets);
    await waitUntil('everybody has read what is new', 60_000, () =>
      this.#readings().every((times, index) => times > (before[index] ?? 0)),
    );
  }

  /** How often each server, and HAProxy, has said that it has read credentials. */
  #readings(): number[] {
    const told = (name: string, line: string) => readFileSync(join(this.dir, `${name}.log`), 'utf8').split(line).length;
    const servers = this.servers.map(({ process }) => told(process.name, 'credentials were reloaded'));
    return [...servers, told('load-balancer', 'Loading success')];
  }

  secret(name: string): SecretFiles {
    const files = this.#secrets[name];
    if (!files) throw new Error(`there is no Secret ${name}`);
    return files;
  }

  /** Starts NATS, the servers and the load balancer, once all Secrets are there. */
  async startPods(): Promise<void> {
    this.#nats = await BundledNats.create(this.dir, () =>
      natsVariables(natsEnvironment(this.#objects), (name) => this.secret(name)),
    );
    await this.#nats.apply(natsConfiguration(this.#objects), 1);
    const ports = await freePorts(ROLES.length * REPLICAS);
    const made = ROLES.flatMap((role, tier) =>
      Array.from({ length: REPLICAS }, (_, index) => ({ role, index, port: ports[tier * REPLICAS + index] as number })),
    );
    const gateways = made.filter(({ role }) => role === 'watch-gateway').map(({ port }) => `https://localhost:${port}`);
    for (const { role, index, port } of made) this.servers.push(this.#server(role, index, port, gateways));
    this.#processes.push(...this.servers.map(({ process }) => process));
    await Promise.all(this.servers.map(({ process }) => process.start()));
    this.#processes.push(await this.#startBalancer());
  }

  /** Replaces every pod of servers in turn, one of each tier at a time, as Deployments do whose template has changed. */
  async roll(): Promise<void> {
    for (let index = 0; index < REPLICAS; index++)
      await Promise.all(
        ROLES.map(async (role) => {
          const server = this.servers.filter((each) => each.role === role)[index] as Server;
          await server.process.stop();
          Object.assign(server.env, server.pod.env);
          await server.process.start();
        }),
      );
  }

  get nats(): BundledNats {
    if (!this.#nats) throw new Error('NATS does not run yet');
    return this.#nats;
  }

  /** Sets the number of NATS servers by the chart. */
  async scaleNats(replicas: number): Promise<void> {
    await this.nats.apply(natsConfiguration(chart({ 'nats.bundled.replicas': String(replicas) })), replicas);
  }

  /** Runs `orchctl`; the URL of the database is on no command line. Rejects when it fails. */
  async orchctl(args: readonly string[], url = this.postgresUrl): Promise<string> {
    const env = { PATH: process.env.PATH, ORCH_POSTGRES_URL: url };
    return (await promisify(execFile)(process.execPath, [ORCHCTL, ...args], { env })).stdout;
  }

  async stop(): Promise<void> {
    for (const process of [...this.#processes].reverse()) await process.stop();
    await this.#nats?.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #server(role: Role, index: number, port: number, gateways: readonly string[]): Server {
    const root = join(this.dir, `${role}-${index}`);
    mkdirSync(root);
    const pod = new Pod(find(this.#objects, 'Deployment', role), root, (name) => this.secret(name));
    const args = pod.args.flatMap((text) =>
      text.startsWith('--gateway-url=')
        ? gateways.map((url) => `--gateway-url=${url}`)
        : text
            .replace('=0.0.0.0', '=127.0.0.1')
            .replace('--secure-port=6443', `--secure-port=${port}`)
            .replace(/nats:\/\/.*/, this.nats.url),
    );
    const env = { ...pod.env };
    const url = `https://127.0.0.1:${port}`;
    const process = this.#process(`${role}-${index}`, [EXECUTABLE, ...args], env, root, () =>
      answersOk(`${url}/readyz`, this.secret('servers')['ca.crt'] ?? ''),
    );
    return { role, url, port, pod, process, env };
  }

  #process(name: string, args: string[], env: Record<string, string>, cwd: string, ready: () => Promise<boolean>) {
    const logFile = join(this.dir, `${name}.log`);
    return new ManagedProcess({ name, command: process.execPath, args, env, cwd, logFile, ready });
  }

  /** The container of the chart with servers that are named in the place of those that DNS knows. */
  #startBalancer(): Promise<ManagedProcess> {
    const { balancer, health } = this.ports;
    const root = join(this.dir, 'load-balancer');
    mkdirSync(root);
    const named = (role: Role) =>
      this.servers
        .filter((server) => server.role === role)
        .map(({ port }, index) => `server at-${index} 127.0.0.1:${port}`)
        .join('\n      ');
    const configuration = (find(this.#objects, 'ConfigMap', 'load-balancer').data['haproxy.cfg'] as string)
      .replaceAll('/etc/orch/', `${root}/etc/orch/`)
      .replaceAll('/var/run/orch', `${root}/var/run/orch`)
      .replace('bind :8443', `bind 127.0.0.1:${balancer}`)
      .replace('bind :8404', `bind 127.0.0.1:${health}`)
      .replaceAll(/^ *server service .*\n/gm, '')
      .replace(/server-template at- \d+ orch-api-server.*/g, named('api-server'))
      .replace(/server-template at- \d+ orch-watch-gateway.*/g, named('watch-gateway'));
    this.#secrets['orch-load-balancer'] = { 'haproxy.cfg': configuration };
    const pod = new Pod(find(this.#objects, 'Deployment', 'load-balancer'), root, (name) => this.secret(name));
    this.#balancer = pod;
    const [command = '', ...args] = pod.args.map((text) =>
      text
        .replace('/usr/local/etc/haproxy/', `${root}/usr/local/etc/haproxy/`)
        .replaceAll('/var/run/orch', `${root}/var/run/orch`)
        .replace('sleep 10', 'sleep 0.5'),
    );
    return new ManagedProcess({
      name: 'load-balancer',
      command,
      args,
      logFile: join(this.dir, 'load-balancer.log'),
      ready: () => answersPlain(`http://127.0.0.1:${health}/readyz`),
      stopSignal: 'SIGUSR1',
    }).start();
  }
}
