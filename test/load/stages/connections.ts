import { Connection, type Endpoint, requestBytes } from '../connection.js';
import { type PodPrograms, type TransferKind, withPodPrograms } from '../pod-programs.js';
import type { Measurement } from '../report.js';
import { inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { median } from '../summary.js';
import { ownTargets, peerSettings, peerTarget, type Target } from '../target.js';

type ConnectionSettings = Omit<StageSettings, 'target'>;

const MEBIBYTES = 64;
/** Rounds that let a server compile what it is about to run, and those that count. */
const [WARM, COUNTED] = [3, 7];
const NODE = 'bench-node';

/** A way of bytes between a client and a pod. */
interface Way {
  readonly name: string;
  readonly kind: TransferKind;
  readonly toPod: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'exec, to the pod', kind: 'exec', toPod: true },
  { name: 'exec, from the pod', kind: 'exec', toPod: false },
  { name: 'port-forward, to the pod', kind: 'portforward', toPod: true },
  { name: 'port-forward, from the pod', kind: 'portforward', toPod: false },
  { name: 'log', kind: 'log', toPod: false },
];

/**
 * What a MiB costs that goes through a server between a client and a pod. All servers have the same client and the same agent, and
 * take turns: a turn is one way of one server.
 */
export async function connectionColumns(
  settings: ConnectionSettings,
): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const peer = peerSettings(process.env);
  const own = await ownTargets('kubernetes');
  try {
    const targets = own.all.filter(({ endpoint }) => endpoint.tls);
    if (peer) targets.push(await peerTarget(peer));
    return await withPodPrograms(async (programs) => {
      const columns: Column[] = [];
      for (const target of targets) columns.push(await Column.open(target, programs, settings));
      for (let round = 0; round < WARM + COUNTED; round++) {
        for (const way of WAYS) {
          const order = round % 2 === 0 ? columns : columns.toReversed();
          for (const column of order) await column.take(way, round >= WARM);
        }
      }
      return new Map(columns.map((column) => [column.name, column.results()]));
    });
  } finally {
    await own.stop();
  }
}

/** A server under measurement, and what was measured, by the name of the way. */
class Column {
  readonly #rates = new Map<string, number[]>();
  readonly #costs = new Map<string, number[]>();

  private constructor(
    private readonly target: Target,
    private readonly programs: PodPrograms,
    private readonly pod: string,
    private readonly mebibytes: number,
  ) {}

  static async open(target: Target, programs: PodPrograms, { run, scale }: ConnectionSettings): Promise<Column> {
    const pod = await makePod(target.endpoint, programs, `${run}-connections`);
    return new Column(target, programs, pod, Math.max(1, Math.round(MEBIBYTES * scale)));
  }

  get name(): string {
    return this.target.name;
  }

  async take({ name, ...way }: Way, counts: boolean): Promise<void> {
    const { programs, pod, mebibytes } = this;
    const { endpoint, processes } = this.target;
    const before = processes.cpuMicroseconds();
    const seconds = await programs.move({ endpoint, pod, mebibytes, ...way });
    const cpu = processes.cpuMicroseconds() - before;
    if (!counts) return;
    this.#rates.set(name, [...(this.#rates.get(name) ?? []), mebibytes / seconds]);
    this.#costs.set(name, [...(this.#costs.get(name) ?? []), cpu / 1000 / mebibytes]);
  }

  results(): Measurement[] {
    return WAYS.flatMap(({ name }) => [
      { name, unit: 'MiB/s', value: median(this.#rates.get(name) ?? []) },
      { name: `${name}: server CPU`, unit: 'ms/MiB', value: median(this.#costs.get(name) ?? []) },
    ]);
  }
}

/** Makes a pod on a node whose agent is the one of the bench; returns its path. */
async function makePod(endpoint: Endpoint, { address, port }: PodPrograms, namespace: string): Promise<string> {
  const pods: Resource = { apiVersion: 'v1', kind: 'Pod', path: '/api/v1/namespaces/bench/pods' };
  const { path } = await inNamespace(endpoint, pods, namespace);
  const status = {
    addresses: [{ type: 'InternalIP', address }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  const name = `${NODE}-${namespace}`;
  await create(endpoint, '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, status });
  const spec = { nodeName: name, containers: [{ name: 'c', image: 'example.com/main' }] };
  await create(endpoint, path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
  // Ports are forwarded of pods that run.
  const running = { status: { phase: 'Running' } };
  await send(endpoint, 'PATCH', `${path}/p/status`, running, { 'Content-Type': 'application/merge-patch+json' });
  return `${path}/p`;
}

const create = (endpoint: Endpoint, path: string, object: object): Promise<void> =>
  send(endpoint, 'POST', path, object);

async function send(
  endpoint: Endpoint,
  method: string,
  path: string,
  object: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const connection = await Connection.open(endpoint);
  try {
    const bytes = requestBytes(endpoint, method, path, JSON.stringify(object), headers);
    const { status, body } = await connection.request(bytes, true);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${body}`);
  } finally {
    connection.close();
  }
}
