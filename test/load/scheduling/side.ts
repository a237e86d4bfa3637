import { setTimeout as pause } from 'node:timers/promises';
import { Client, hasReason } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import type { Measurement } from '../report.js';
import { median } from '../summary.js';
import { ServerProcesses } from '../usage.js';
import { Bindings } from './bindings.js';
import { FILLER, HIGH_PRIORITY, type PodKind } from './kinds.js';
import { NODES, PODS, PRIORITY_CLASSES } from './resources.js';
import type { RunningScheduler } from './schedulers.js';
import { type BenchServer, NAMES } from './servers.js';

const NODE = { cpu: '32', memory: '64Gi', pods: '110' };
/** Requests under way at a time. */
const CREATORS = 16;

/** Numbers of pods of a round. */
export interface RoundSize {
  /** Pods that are created as fast as the server takes them. */
  readonly pods: number;
  /** Pods that are created at a rate, for their latency. */
  readonly paced: number;
  /** That rate, pods per second. */
  readonly rate: number;
}

interface Round {
  readonly perSecond: number;
  readonly p99: number;
  readonly schedulerMicros: number;
  readonly serverMicros: number;
}

/** A scheduler with a server of its own, and what was measured of it. */
export class Side {
  readonly #rounds = new Map<string, Round[]>();
  readonly #more: Measurement[] = [];
  #pods = 0;
  #isFull = false;

  private constructor(
    readonly name: string,
    private readonly size: number,
    private readonly server: BenchServer,
    private readonly scheduler: RunningScheduler,
    private readonly client: Client,
  ) {}

  /** Adds nodes that nobody renews to a server, and starts a scheduler beside it. Both end with the result. */
  static async open<S extends BenchServer>(
    name: string,
    nodes: number,
    server: S,
    start: (server: S) => Promise<RunningScheduler>,
  ): Promise<Side> {
    const client = new Client(server.connection, { names: NAMES, qps: -1 });
    try {
      await atATime(nodes, (at) => addNode(client, at));
      return new Side(name, nodes, server, await start(server), client);
    } catch (error) {
      await client.close();
      await server.stop();
      throw error;
    }
  }

  /** Measures a kind of pods once. @param counts whether it is more than a warm-up */
  async take(kind: PodKind, size: RoundSize, counts: boolean): Promise<void> {
    if (kind.preempts) await this.#fill();
    const burst = await this.#burst(kind, size.pods);
    const p99 = counts ? await this.#paced(kind, size) : 0;
    if (counts) this.#rounds.set(kind.name, [...(this.#rounds.get(kind.name) ?? []), { ...burst, p99 }]);
  }

  /** Measures what it costs the scheduler that nodes report their status. */
  async takeHeartbeats(count: number): Promise<void> {
    const own = this.#cpu([this.scheduler.pid]);
    await atATime(count, async (at) => {
      const heartbeat = { type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() };
      const patch = { status: { conditions: [heartbeat] } };
      await this.client.patch(NODES, `n${at % this.size}`, 'strategic', patch, {}, { subresource: 'status' });
    });
    this.#more.push({
      ...{ name: `${this.#title}, heartbeats: CPU of the scheduler`, unit: 'µs/heartbeat' },
      value: own() / count,
    });
  }

  /** Returns the medians of all rounds. */
  results(): Measurement[] {
    const rows = [...this.#rounds].flatMap(([kind, rounds]) => {
      const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
      const title = `${this.#title}, ${kind}`;
      return [
        { name: `${title}: pods bound`, unit: '/s', value: of('perSecond') },
        { name: `${title}: creation to binding at a rate, p99`, unit: 'ms', value: of('p99') },
        ...(this.scheduler.isInServer
          ? []
          : [{ name: `${title}: CPU of the scheduler`, unit: 'µs/pod', value: of('schedulerMicros') }]),
        { name: `${title}: CPU of both`, unit: 'µs/pod', value: of('schedulerMicros') + of('serverMicros') },
      ];
    });
    return [...rows, ...this.#more];
  }

  /** Ends both. */
  async close(): Promise<void> {
    await this.scheduler.stop();
    await this.client.close();
    await this.server.stop();
  }

  get #title(): string {
    return `${this.size.toLocaleString('en')} nodes`;
  }

  /** Creates pods as fast as the server takes them, until the last is bound. */
  async #burst(kind: PodKind, pods: number): Promise<Omit<Round, 'p99'>> {
    const bindings = await Bindings.begin(this.client, pods);
    const [scheduler, server] = [this.#cpu([this.scheduler.pid]), this.#cpu(this.server.pids)];
    const begun = performance.now();
    await atATime(pods, () => bindings.create(`p${this.#pods}`, kind.of(this.#pods++)));
    await bindings.all();
    const seconds = (performance.now() - begun) / 1_000;
    const schedulerMicros = this.scheduler.isInServer ? 0 : scheduler() / pods;
    const round = { perSecond: pods / seconds, schedulerMicros, serverMicros: server() / pods };
    await this.#clear(bindings, kind);
    return round;
  }

  /** Creates pods at a rate. @returns milliseconds from creation to binding, all but one in a hundred */
  async #paced(kind: PodKind, { paced, rate }: RoundSize): Promise<number> {
    const bindings = await Bindings.begin(this.client, paced);
    const begun = performance.now();
    const created: Promise<void>[] = [];
    for (let at = 0; at < paced; at++) {
      await pause(Math.max(0, begun + (at * 1_000) / rate - performance.now()));
      created.push(bindings.create(`p${this.#pods}`, kind.of(this.#pods++)));
    }
    await Promise.all(created);
    await bindings.all();
    await this.#clear(bindings, kind);
    return bindings.p99;
  }

  /** Removes pods; where others have gone for them, those come again. */
  async #clear({ nodes }: Bindings, { preempts }: PodKind): Promise<void> {
    const bound = [...nodes];
    await atATime(bound.length, async (at) => {
      const [pod = '', node = ''] = bound[at] ?? [];
      await this.client.delete(PODS, pod, { gracePeriodSeconds: 0 });
      if (preempts) await this.#addFiller(node);
    });
  }

  /** Fills all nodes with pods of low priority. */
  async #fill(): Promise<void> {
    if (this.#isFull) return;
    this.#isFull = true;
    await addPriorityClass(this.client);
    await atATime(this.size, (at) => this.#addFiller(`n${at}`));
  }

  async #addFiller(nodeName: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'low-' }, spec: { ...FILLER, nodeName } };
    await this.client.create(PODS, object as ApiObject);
  }

  /** Returns a function that tells the CPU time of processes since now, in microseconds. */
  #cpu(pids: readonly number[]): () => number {
    const processes = new ServerProcesses(() => pids);
    const before = processes.cpuMicroseconds();
    return () => processes.cpuMicroseconds() - before;
  }
}

/** A server that goes on has it from the last time. */
async function addPriorityClass(client: Client): Promise<void> {
  const object = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 1_000 };
  try {
    await client.create(PRIORITY_CLASSES, { ...object, metadata: { name: HIGH_PRIORITY } } as ApiObject);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}

async function addNode(client: Client, at: number): Promise<void> {
  const name = `n${at}`;
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `z${at % 3}` };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }];
  const status = { allocatable: NODE, capacity: NODE, conditions };
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status } as ApiObject);
  // Nodes are made with a taint until a controller has seen that they are ready.
  await client.patch(NODES, name, 'merge', { spec: { taints: null } });
}

/** Does something so many times, several at a time. */
async function atATime(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CREATORS }, worker));
}
