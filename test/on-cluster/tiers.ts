import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  EXECUTABLE,
  findPrograms,
  loadBalancer,
  ManagedProcess,
  natsServer,
  postgresServer,
  postgresUrl,
} from '../../tools/up/index.js';
import { IDENTITIES, tokenFile } from './identities.js';
import { SERVER_ADDRESS } from './place.js';
import { type ClusterServer, isReady, PORT, SERVER_URL, sharedArgs } from './servers.js';

/** Where servers listen: each at an address of its own and at the same port, as on machines of their own. */
const API_SERVERS = ['127.0.0.2', '127.0.0.3'];
const GATEWAYS = ['127.0.0.4', '127.0.0.5'];
const [POSTGRES_PORT, NATS_PORT, HOP_PORT] = [5432, 4222, 6442];

/**
 * Two api-servers and two gateways behind nginx, which is all that clients reach. Its certificates end there, so that clients have
 * bearer tokens.
 */
export class TieredServer implements ClusterServer {
  readonly processes: ManagedProcess[] = [];
  /** Bearer tokens by the names of identities. */
  readonly tokens: Readonly<Record<string, string>>;

  constructor(private readonly dir: string) {
    this.tokens = Object.fromEntries(Object.keys(IDENTITIES).map((who) => [who, randomBytes(24).toString('hex')]));
  }

  pki = (name: string): string => join(this.dir, 'pki', name);

  async start(): Promise<void> {
    const programs = findPrograms();
    const backends = join(this.dir, 'backends');
    mkdirSync(backends);
    writeFileSync(this.#tokenFile, tokenFile(this.tokens), { mode: 0o600 });
    await this.#run(postgresServer({ dir: backends, port: POSTGRES_PORT, detached: false }, programs));
    await this.#run(natsServer({ dir: backends, port: NATS_PORT, detached: false }, programs));
    // The first makes the schema, the authorities and the keys.
    const handOver = GATEWAYS.map((address) => `--gateway-url=https://${address}:${PORT}`);
    for (const [index, address] of API_SERVERS.entries())
      await this.#run(this.#server('api-server', index, address, handOver));
    for (const [index, address] of GATEWAYS.entries())
      await this.#run(this.#server('watch-gateway', index, address, []));
    await this.#run(this.#balancer(programs));
    if (!(await isReady(SERVER_URL, this.pki('ca.crt')))) throw new Error('no server is ready behind nginx');
  }

  get #tokenFile(): string {
    return join(this.dir, 'tokens.csv');
  }

  #server(role: 'api-server' | 'watch-gateway', index: number, address: string, further: readonly string[]) {
    const name = `${role}-${index}`;
    const args = [
      ...[EXECUTABLE, role, `--secure-port=${PORT}`, `--bind-address=${address}`, `--cert-dir=${this.pki('')}`],
      ...[`--postgres-url=${postgresUrl(POSTGRES_PORT)}`, `--nats-url=nats://127.0.0.1:${NATS_PORT}`],
      ...[`--token-auth-file=${this.#tokenFile}`, ...sharedArgs, ...further],
      // One certificate is all servers'. The first host is that of `sharedArgs`, which the issuer's document names.
      ...[...API_SERVERS, ...GATEWAYS].map((each) => `--advertise-host=${each}`),
    ];
    return new ManagedProcess({
      ...{ name, command: process.execPath, args, cwd: this.dir, logFile: join(this.dir, `${name}.log`) },
      ready: () => isReady(`https://${address}:${PORT}`, this.pki('ca.crt')),
    });
  }

  #balancer(programs: ReturnType<typeof findPrograms>): ManagedProcess {
    const at = (address: string) => `${address}:${PORT}`;
    return loadBalancer(
      'nginx',
      {
        ...{ dir: this.dir, address: SERVER_ADDRESS, port: PORT, healthPort: HOP_PORT, detached: false },
        ...{ apiServers: API_SERVERS.map(at), gateways: GATEWAYS.map(at) },
        ...{ certFile: this.pki('apiserver.crt'), keyFile: this.pki('apiserver.key'), caFile: this.pki('ca.crt') },
        proxyCertFile: this.pki('front-proxy.crt'),
      },
      programs,
    );
  }

  async #run(process: ManagedProcess): Promise<void> {
    this.processes.push(process);
    await process.start();
  }
}
