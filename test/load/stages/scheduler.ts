import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type ResourceRef, readKubeconfig, writeKubeconfig } from '@orch/client';
import { type ApiObject, namesOf } from '@orch/machinery';
import { ManagedProcess } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import { addReadyNode, startScheduler } from '../../support/orch-scheduler.js';
import { makeServerFolder } from '../../support/run-folder.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import type { Measurement } from '../report.js';
import type { StageSettings } from '../settings.js';
import { median } from '../summary.js';
import { ServerProcesses } from '../usage.js';

/** Nodes of each size, and pods of a round. */
const SIZES = [
  { nodes: 1_000, pods: 500 },
  { nodes: 5_000, pods: 500 },
];
/** Rounds of each kind that are not counted, and those that are. */
const [WARM, COUNTED] = [1, 3];
const CREATORS = 64;
const NODE = { cpu: '32', memory: '64Gi', pods: '110' };

const PODS: ResourceRef = { group: '', version: 'v1', resource: 'pods', namespace: 'default' };
const SELECTOR = { matchLabels: { app: 'x' } };

/** Kinds of pods by what they ask for beside 100m and 128 MiB. */
const KINDS: Readonly<Record<string, object>> = {
  plain: {},
  'spread over zones': {
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone' },
        ...{ whenUnsatisfiable: 'DoNotSchedule', labelSelector: SELECTOR },
      },
    ],
  },
  'anti-affinity by host': {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { alone: 'yes' } } },
        ],
      },
    },
  },
};

/**
 * What it takes to schedule pods: `orch scheduler`, and kube-scheduler where KUBE_SCHEDULER names its program, each with a
 * server of its own, in turns. Nodes are objects that nobody renews.
 */
export async function schedulerColumns({
  scale,
}: Omit<StageSettings, 'target'>): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const columns = new Map<string, Measurement[]>();
  for (const { nodes, pods } of SIZES) {
    const count = Math.max(10, Math.round(nodes * scale));
    const sides = [await Side.open('orch scheduler', count, startOurs)];
    const program = process.env.KUBE_SCHEDULER;
    if (program) sides.push(await Side.open('peer kube-scheduler', count, (server) => startPeer(server, program)));
    try {
      for (const kind of Object.keys(KINDS)) {
        for (let round = 0; round < WARM + COUNTED; round++)
          for (const side of round % 2 === 0 ? sides : sides.toReversed())
            await side.take(kind, Math.max(10, Math.round(pods * scale)), round >= WARM);
      }
      for (const side of sides) columns.set(side.name, [...(columns.get(side.name) ?? []), ...side.results(count)]);
    } finally {
      await Promise.all(sides.map((side) => side.close()));
    }
  }
  return columns;
}

/** A running scheduler. */
interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

interface Round {
  readonly perSecond: number;
  readonly p99: number;
  readonly schedulerMicros: number;
  readonly serverMicros: number;
}

/** A scheduler with its server, and what was measured by the kind of pods. */
class Side {
  readonly #rounds = new Map<string, Round[]>();
  #pods = 0;

  private constructor(
    readonly name: string,
    private readonly server: Standalone,
    private readonly scheduler: Running,
    private readonly client: Client,
  ) {}

  static async open(name: string, nodes: number, start: (server: Standalone) => Promise<Running>): Promise<Side> {
    const server = await startStandalone();
    const names = namesOf('kubernetes');
    const client = new Client(await readKubeconfig(server.kubeconfig, { names }), { names, qps: -1 });
    const api = new Api(server);
    await atATime(nodes, async (at) => {
      const labels = { 'topology.kubernetes.io/zone': `z${at % 3}` };
      await addReadyNode(api, `n${at}`, { labels, allocatable: NODE });
    });
    api.close();
    return new Side(name, server, await start(server), client);
  }

  /** Makes pods of a kind, and measures until the last of them is bound; then removes them. */
  async take(kind: string, pods: number, counts: boolean): Promise<void> {
    const own = new ServerProcesses(() => [this.scheduler.pid]);
    const servers = new ServerProcesses(() => [this.server.process.pid]);
    const first = this.#pods;
    this.#pods += pods;
    const bindings = new Bindings(this.client, pods);
    await bindings.begin();
    const before = [own.cpuMicroseconds(), servers.cpuMicroseconds(), performance.now()] as const;
    await atATime(pods, (at) => bindings.create(`p${first + at}`, kind));
    await bindings.all;
    const seconds = (performance.now() - before[2]) / 1_000;
    const round: Round = {
      perSecond: pods / seconds,
      p99: bindings.p99,
      schedulerMicros: (own.cpuMicroseconds() - before[0]) / pods,
      serverMicros: (servers.cpuMicroseconds() - before[1]) / pods,
    };
    if (counts) this.#rounds.set(kind, [...(this.#rounds.get(kind) ?? []), round]);
    await atATime(pods, (at) => this.client.delete(PODS, `p${first + at}`, { gracePeriodSeconds: 0 }));
  }

  results(nodes: number): Measurement[] {
    return [...this.#rounds].flatMap(([kind, rounds]) => {
      const of = (name: keyof Round) => median(rounds.map((round) => round[name]));
      const title = `${nodes.toLocaleString('en')} nodes, ${kind}`;
      return [
        { name: `${title}: pods bound`, unit: '/s', value: of('perSecond') },
        { name: `${title}: creation to binding, p99`, unit: 'ms', value: of('p99') },
        { name: `${title}: CPU of the scheduler`, unit: 'µs/pod', value: of('schedulerMicros') },
        { name: `${title}: CPU of the server`, unit: 'µs/pod', value: of('serverMicros') },
      ];
    });
  }

  async close(): Promise<void> {
    await this.scheduler.stop();
    await this.client.close();
    await this.server.stop();
  }
}

/** Bindings of the pods of a round, as a watch shows them. */
class Bindings {
  /** Resolves when all pods are bound. */
  readonly all: Promise<void>;
  readonly #begun = new Map<string, number>();
  readonly #took: number[] = [];
  readonly #end = new AbortController();
  #done = (): void => undefined;

  constructor(
    private readonly client: Client,
    private readonly pods: number,
  ) {
    this.all = new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  /** Milliseconds that all but one in a hundred took. */
  get p99(): number {
    return this.#took.toSorted((a, b) => a - b)[Math.floor(this.#took.length * 0.99)] ?? 0;
  }

  async begin(): Promise<void> {
    const { metadata } = await this.client.list(PODS, { limit: 1 });
    void this.#follow(metadata.resourceVersion ?? '').catch(() => undefined);
  }

  async create(name: string, kind: string): Promise<void> {
    const requests = { cpu: '100m', memory: '128Mi' };
    const spec = { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...KINDS[kind] };
    this.#begun.set(name, performance.now());
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'x', alone: 'yes' } }, spec };
    await this.client.create(PODS, pod as ApiObject);
  }

  async #follow(after: string): Promise<void> {
    for await (const { type, object } of this.client.watch<ApiObject>(PODS, { after }, { signal: this.#end.signal })) {
      const name = object.metadata?.name ?? '';
      const begun = this.#begun.get(name);
      if (type !== 'MODIFIED' || begun === undefined || !(object.spec as { nodeName?: string }).nodeName) continue;
      this.#begun.delete(name);
      this.#took.push(performance.now() - begun);
      if (this.#took.length < this.pods) continue;
      this.#end.abort();
      this.#done();
      return;
    }
  }
}

async function startOurs(server: Standalone): Promise<Running> {
  const running = await startScheduler(server);
  return { pid: running.process.pid, stop: () => running.stop() };
}

/** Starts kube-scheduler with a rate that does not limit it. */
async function startPeer(server: Standalone, program: string): Promise<Running> {
  const dir = makeServerFolder('kube-scheduler-');
  const [kubeconfig, config] = [join(dir, 'kubeconfig'), join(dir, 'config.json')];
  await writeKubeconfig(kubeconfig, { server: server.url, ca: server.ca, token: server.token });
  const document = {
    ...{ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
    clientConnection: { kubeconfig, qps: 5_000, burst: 5_000 },
  };
  writeFileSync(config, JSON.stringify(document));
  const own = [`--config=${config}`, `--authentication-kubeconfig=${kubeconfig}`];
  const running = new ManagedProcess({
    ...{ name: 'kube-scheduler', command: program, cwd: dir, logFile: join(dir, 'log') },
    args: [...own, `--authorization-kubeconfig=${kubeconfig}`, '--secure-port=0'],
    ready: async () => true,
  });
  await running.start();
  return {
    pid: running.pid,
    async stop() {
      await running.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Does something so many times, several at a time. */
async function atATime(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CREATORS }, worker));
}
