import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms, freePorts, ManagedProcess } from '../../../tools/up/index.js';
import { answersPlain } from '../../../tools/up/ready.js';

/** Ports of one NATS server: for clients, for other servers, and for monitoring. */
interface Ports {
  readonly client: number;
  readonly cluster: number;
  readonly http: number;
}

interface Member {
  readonly ports: Ports;
  readonly process: ManagedProcess;
  readonly env: Record<string, string>;
}

const MOST = 3;

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

/** Variables of the chart's container of NATS, as a kubelet makes them: `$(NAME)` is what a variable before it says. */
export function natsVariables(
  env: readonly Variable[],
  secret: (name: string) => Readonly<Record<string, string>>,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const ref = valueFrom?.secretKeyRef;
    if (ref) variables[name] = secret(ref.name)[ref.key] ?? '';
    else if (value !== undefined)
      variables[name] = value.replace(/\$\((\w+)\)/g, (text, other: string) => variables[other] ?? text);
  }
  return variables;
}

/** The pods of the chart's StatefulSet of NATS, as processes. */
export class BundledNats {
  readonly #members: Member[] = [];

  private constructor(
    private readonly dir: string,
    private readonly ports: readonly Ports[],
    private readonly variables: () => Readonly<Record<string, string>>,
  ) {}

  /** @param variables what its Secrets say now */
  static async create(dir: string, variables: () => Readonly<Record<string, string>>): Promise<BundledNats> {
    const free = await freePorts(3 * MOST);
    const ports = Array.from({ length: MOST }, (_, index) => ({
      client: free[3 * index] as number,
      cluster: free[3 * index + 1] as number,
      http: free[3 * index + 2] as number,
    }));
    return new BundledNats(dir, ports, variables);
  }

  /** URL with a name that resolves to all servers. */
  get url(): string {
    return this.ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(',');
  }

  /** Ports of those that run. */
  get running(): readonly Ports[] {
    return this.#members.map(({ ports }) => ports);
  }

  /** Adds pods until there are so many, or ends the last ones, and then replaces those that stay, the last one first, as a StatefulSet does. */
  async apply(configuration: string, replicas: number): Promise<void> {
    for (const { process } of this.#members.splice(replicas).reverse()) await process.stop();
    const before = [...this.#members];
    for (const index of this.ports.keys()) this.#configure(index, configuration);
    const added = this.ports.slice(before.length, replicas).map((ports, at) => this.#member(before.length + at, ports));
    this.#members.push(...added);
    await Promise.all(added.map(({ process }) => process.start()));
    for (const member of before.reverse()) await this.#replace(member);
  }

  /** Replaces every pod. */
  async roll(): Promise<void> {
    for (const member of [...this.#members].reverse()) await this.#replace(member);
  }

  async stop(): Promise<void> {
    for (const { process } of this.#members) await process.stop();
  }

  async #replace({ process, env }: Member): Promise<void> {
    Object.assign(env, this.variables());
    await process.restart();
  }

  #configure(index: number, configuration: string): void {
    const { client, cluster, http } = this.ports[index] as Ports;
    const text = configuration
      .replace('port: 4222', `host: 127.0.0.1\nport: ${client}`)
      .replace('http_port: 8222', `http: "127.0.0.1:${http}"`)
      .replace('port: 6222', `host: 127.0.0.1\nport: ${cluster}`)
      .replace(/nats:\/\/\S*-nats-(\d)\.[^":]*:6222/g, (_, at) => `nats://127.0.0.1:${this.ports[Number(at)]?.cluster}`)
      .replace('/data', join(this.dir, `nats-${index}`));
    writeFileSync(this.#file(index), text);
  }

  #file = (index: number): string => join(this.dir, `nats-${index}.conf`);

  #member(index: number, ports: Ports): Member {
    const name = `nats-${index}`;
    const env = { POD_NAME: `orch-${name}`, ...this.variables() };
    const process = new ManagedProcess({
      name,
      command: findPrograms().nats,
      args: ['--config', this.#file(index)],
      env,
      logFile: join(this.dir, `${name}.log`),
      ready: () => answersPlain(`http://127.0.0.1:${ports.http}/healthz?js-server-only=true`),
    });
    return { ports, process, env };
  }
}
