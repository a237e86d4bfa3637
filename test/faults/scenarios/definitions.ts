import { setMaxListeners } from 'node:events';
import { Client } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { waitUntil } from '../../../tools/up/index.js';
import { Changer, isEstablished } from '../definitions/changer.js';
import { ChangingKind, type Design, NAMESPACE, VERSIONS } from '../definitions/changing-kind.js';
import { ControlSeries, type Delay, delayOf } from '../definitions/control-series.js';
import { judgeKind } from '../definitions/judge.js';
import { type Direct, KindWatcher } from '../definitions/kind-watcher.js';
import { Prober } from '../definitions/prober.js';
import { type KindRecord, readRecords } from '../definitions/records.js';
import { Floors } from '../model/floors.js';
import type { List } from '../model/records.js';
import type { Random } from '../random.js';
import { Canary } from '../stage/canary.js';
import type { Mutation } from '../stage/mutant.js';
import { Probe } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { rest, Traffic } from '../traffic/context.js';
import { list } from '../traffic/lister.js';
import { type Target, Writer } from '../traffic/writer.js';
import { checkServed, checkStreams } from '../validators/served.js';
import { checkWatch } from '../validators/watch.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, tortured } from './scenario.js';

const CHANGING = 12;
const STEADY = 2;
const WRITERS = 6;
const WATCHERS_OF_EACH = 2;
const NAMES = ['o-0', 'o-1', 'o-2', 'o-3'];
const CALM_MS = 3_000;
/** Tolerance for p50 and p99 of other writes and events on a busy machine, ms. */
const NOISE_MS = { p50: 100, p99: 1_000 };
const CATCH_UP_MS = 40_000;
/** How long it is waited for a definition to be established, before servers are asked for it all the same. */
const ESTABLISHED_MS = 10_000;
/** Longer than a server may be behind. */
const SETTLED_MS = 1_500;

/** Each server serves what it knows only after a while, and nobody waits for it. */
const UNAWAITED: readonly Mutation[] = [
  {
    module: 'libs/custom-resources/dist/decisions.js',
    part: 'definitions.filter(({ since }) => since <= served)',
    by: 'definitions',
  },
  {
    module: 'libs/custom-resources/dist/served-definitions.js',
    part: 'async #serve() {',
    by: 'async #serve() {\nawait new Promise((resolve) => setTimeout(resolve, 500 * Math.random()));',
  },
];
const STALE: readonly Mutation[] = [
  {
    module: 'libs/custom-resources/dist/definition.js',
    part: 'stringifyJson([uid, { ...names }, spec])',
    by: 'stringifyJson([uid, { ...names }])',
  },
];
/** Each server serves what it hears of some seconds later. */
const LATE: readonly Mutation[] = [
  {
    module: 'libs/custom-resources/dist/served-definitions.js',
    part: 'async #serve() {',
    by: 'async #serve() {\nawait new Promise((resolve) => setTimeout(resolve, 4_000));',
  },
];
const LEFT: readonly Mutation[] = [
  {
    module: 'libs/custom-resources/dist/definition-cleaner.js',
    part: 'await empty(await kindOf(definition), stopped)',
    by: '0',
  },
];

const about = {
  name: 'definitions',
  fault:
    'definitions are made, changed and deleted, 10 a second for 5 minutes, beside writers, lists and watches of their kinds and of others',
  pass: 'V1–V4 of them, too; within a second every server serves what they say, and what is established at once; watches of what changes end in order; no object is left without a definition; others do not notice: no stream ends, no call fails, p99 at most three times as long',
};

export const definitions = changing(about);

/** The negative controls. */
export const definitionsUnawaited = controlled(
  changing(negative('unawaited', 'definitions are established before all servers serve them'), UNAWAITED),
  'R.served',
);
export const definitionsStale = controlled(
  changing(negative('stale', 'servers take a definition that has changed for the one that it was'), STALE),
  'R.served',
);
export const definitionsLate = controlled(
  changing(negative('late', 'servers serve what definitions say four seconds after they heard of it'), LATE),
  'R.latency',
);
export const definitionsLeft = controlled(
  changing(negative('left', 'definitions go without their objects'), LEFT),
  'R.left',
);

function negative(name: string, defect: string): Omit<Scenario, 'run'> {
  return {
    name: `definitions-${name}`,
    fault: `the same where ${defect}: the negative control`,
    pass: 'a rule that was made for it says so',
  };
}

function changing(what: Omit<Scenario, 'run'>, mutations: readonly Mutation[] = []): Scenario {
  return unnoticed(
    tortured(what, (settings) => ({
      writers: 2,
      watchers: scaled(settings, 60, 16),
      cluster: { mutations },
      faults: (stage) => change(stage, settings),
    })),
  );
}

/** The validators allow a write to have an unknown outcome, and a watch to be refused for a while: here neither may happen. */
function unnoticed(scenario: Scenario): Scenario {
  return {
    ...scenario,
    async run(settings) {
      const result = await scenario.run(settings);
      const noticed = Object.entries(result.counts ?? {}).filter(
        ([name, count]) => count > 0 && (name === 'writes of unknown outcome' || name.startsWith('watches answered')),
      );
      // 503 is the load balancer's, which did not wait any longer.
      const found = noticed.map(([name, count]) => ({
        rule: name.endsWith('503') ? ('R.latency' as const) : ('R.answer' as const),
        message: `${name}: ${count}`,
      }));
      return { ...result, violations: [...result.violations, ...found] };
    },
  };
}

async function change(stage: Stage, settings: ScenarioSettings): Promise<void> {
  const load = new Load(stage);
  try {
    const probe = await Probe.start(stage);
    const canary = await Canary.start(stage.postgresUrl);
    await load.begin();
    const calm = await probe.during(CALM_MS);
    await load.run(scaled(settings, 300_000, 10_000));
    const beside = probe.take();
    await load.settle();
    const after = await probe.during(CALM_MS);
    await Promise.all([probe.stop(), canary.stop()]);
    stage.measure('ms of the slowest commit of nobody', canary.worst);
    const worse = calm.events.p99 > after.events.p99 ? calm : after;
    stage.must('R.answer', beside.failedWrites === 0, `${beside.failedWrites} writes of others failed`);
    for (const of of ['writes', 'events'] as const) {
      for (const share of ['p50', 'p99'] as const) {
        const [took, without] = [beside[of][share], worse[of][share]];
        stage.measure(`${share} of ${of} without`, without);
        stage.measure(`${share} of ${of} beside`, took);
        const most = 3 * without + NOISE_MS[share] + 2 * canary.worst;
        stage.must('R.latency', took <= most, `${share} of ${of} of others ${took} ms, without ${without}`);
      }
    }
    await load.judge();
  } finally {
    await load.end();
  }
}

/** Everybody who has to do with custom kinds. */
class Load {
  readonly #kinds = Array.from({ length: STEADY + CHANGING }, (_, i) => new ChangingKind(i, i < STEADY));
  readonly #servers: readonly Direct[];
  readonly #traffic: Traffic;
  readonly #changer: Changer;
  readonly #probers: readonly Prober[];
  /** They ask for what has just been established. */
  readonly #hasty: readonly Prober[];
  readonly #asked: Promise<void>[] = [];
  readonly #watchers: readonly KindWatcher[];
  readonly #control: ControlSeries;
  readonly #writers: readonly Writer[];
  /** Milliseconds of this process at 1970. */
  readonly #monotonic = performance.now() - Date.now();
  readonly #watching = new AbortController();
  #watched: Promise<unknown> = Promise.resolve();

  constructor(private readonly stage: Stage) {
    const { cluster, random } = stage;
    this.#servers = [...cluster.apiServerUrls, ...cluster.gatewayUrls].map((url, i) => {
      const name = [...cluster.apiServers, ...cluster.gateways][i]?.name ?? url;
      return { name, api: stage.api(url), client: clientOf(stage, url) };
    });
    const [first] = this.#servers;
    if (!first) throw new Error('no servers');
    this.#traffic = new Traffic(first, this.#servers);
    const apart = [...cluster.apiServerUrls, ...cluster.gatewayUrls].map((url, i) => {
      return { name: this.#servers[i]?.name ?? url, api: stage.api(url) };
    });
    this.#control = new ControlSeries(stage.api(cluster.url), apart);
    this.#changer = new Changer(stage, random.fork('changer'), this.#kinds, (kind, design) => {
      this.#asked.push(this.#atOnce(kind, design));
    });
    this.#probers = this.#servers.map(
      ({ name, api }) => new Prober(name, api, random.fork(`prober ${name}`), this.#kinds),
    );
    this.#hasty = this.#servers.map(
      ({ name, api }) => new Prober(`${name}, at once`, api, random.fork(`hasty ${name}`), this.#kinds),
    );
    this.#watchers = this.#kinds.flatMap((kind) =>
      Array.from({ length: WATCHERS_OF_EACH }, (_, i) => {
        const id = `kind-watcher-${kind.index}-${i}`;
        return new KindWatcher(id, kind, this.#traffic, this.#servers, random.fork(id));
      }),
    );
    this.#writers = Array.from({ length: WRITERS }, (_, i) => {
      const id = `c${i}`;
      return new Writer(id, this.#traffic, random.fork(id), (own) => this.#target(own));
    });
    setMaxListeners(0, this.#watching.signal);
    stage.signal.addEventListener('abort', () => this.#watching.abort());
  }

  /** Has all kinds served, and watched from then on. */
  async begin(): Promise<void> {
    await this.#control.start();
    await this.#changer.settle();
    this.#watched = Promise.all(this.#watchers.map((watcher) => watcher.run(this.#watching.signal)));
  }

  async run(ms: number): Promise<void> {
    const { stage } = this;
    const changing = new AbortController();
    setMaxListeners(0, changing.signal);
    const stop = () => changing.abort();
    stage.signal.addEventListener('abort', stop);
    const actors = [this.#changer, ...this.#writers, ...this.#probers].map((actor) => actor.run(changing.signal));
    const start = performance.now();
    await Promise.race([rest(ms, changing.signal), Promise.all(actors)]);
    const seconds = (performance.now() - start) / 1000;
    stop();
    await Promise.all(actors);
    stage.measure('definitions changed a second', this.#changer.changes / seconds);
  }

  /** Asks all servers for a kind in the moment in which one of them says that it is established. */
  async #atOnce(kind: ChangingKind, made: Design): Promise<void> {
    const { api } = this.stage.random.pick(this.#servers);
    let uid: string | undefined;
    for (const giveUpAt = performance.now() + ESTABLISHED_MS; performance.now() < giveUpAt; ) {
      const answer = await api.get(kind.path).catch(() => undefined);
      const definition = answer?.status === 200 ? answer.json() : undefined;
      uid ??= definition?.metadata.uid;
      if (definition?.metadata.uid !== uid) return;
      if (isEstablished(definition)) break;
      await rest(10, this.stage.signal);
    }
    await Promise.all(this.#hasty.map((prober) => prober.objects(kind, made.served[0] ?? 'v1')));
  }

  /** Brings all definitions to an end at which everything is served, and has everybody look at it. */
  async settle(): Promise<void> {
    await this.#changer.settle();
    await rest(SETTLED_MS, this.stage.signal);
    await Promise.all(this.#probers.map((prober) => prober.all()));
  }

  async judge(): Promise<void> {
    const { stage } = this;
    await this.#control.stop();
    const delay = delayOf(this.#control.lags);
    stage.measure('ms of the latest ordinary change', delay(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY));
    await Promise.all(this.#asked);
    const records = await readRecords(stage.postgresUrl, this.#kinds, this.#monotonic);
    await this.#catchUp(records);
    for (const { lives } of this.#watchers) for (const life of lives.slice(-1)) life.lasted = true;
    this.#watching.abort();
    await this.#watched;
    for (const record of records) {
      const lives = this.#watchers.filter(({ kind }) => kind === record.kind).flatMap((watcher) => watcher.lives);
      const final = await this.#finalList(record.kind);
      for (const { rule, message } of judgeKind(record, this.#traffic, lives, final, delay))
        stage.report(rule, message);
    }
    this.#judgeServed(records, delay);
    this.#count(records);
  }

  async end(): Promise<void> {
    this.#watching.abort();
    await Promise.all([this.#watched.catch(() => undefined), this.#control.stop()]);
    await Promise.all(this.#servers.map(({ client }) => client.close()));
  }

  #judgeServed(records: readonly KindRecord[], delay: Delay): void {
    const { stage } = this;
    const timelines = new Map(records.map(({ kind, states }) => [kind.name, states]));
    const steady = new Set(this.#kinds.filter(({ isSteady }) => isSteady).map(({ name }) => name));
    const streams = this.#watchers.flatMap((watcher) => watcher.streams);
    const served = checkServed(
      [...this.#probers, ...this.#hasty].flatMap(({ observations }) => observations),
      timelines,
      delay,
    );
    const ended = checkStreams(streams, timelines, steady, delay);
    for (const { rule, message } of [...served.violations, ...ended.violations]) stage.report(rule, message);
    for (const { failures } of [...this.#probers, ...this.#hasty, ...this.#watchers]) {
      for (const failure of failures) stage.report('R.answer', failure);
    }
    stage.measure('ms until every server serves a change', served.latest);
    stage.measure('ms until watches of what changed end', ended.latest);
  }

  /** Nothing was tried where nothing happened. */
  #count(records: readonly KindRecord[]): void {
    const { stage } = this;
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    const counts = {
      'changes of definitions': this.#changer.changes,
      'definitions deleted': sum(
        records.map(({ states }) => states.filter((state, at) => at > 0 && !state.uid).length),
      ),
      'objects of custom kinds changed': sum(records.map(({ history }) => history.changes.length)),
      'looks at what is served': sum(this.#probers.map(({ observations }) => observations.length)),
      'watches of custom kinds': sum(this.#watchers.map(({ streams }) => streams.length)),
    };
    for (const [name, count] of Object.entries(counts)) {
      stage.measure(name, count);
      stage.must('R.answer', count > 0, `${name}: ${count}`);
    }
  }

  async #catchUp(records: readonly KindRecord[]): Promise<void> {
    const isWhole = () =>
      this.#watchers.every(({ kind, lives }) => {
        const history = records.find((record) => record.kind === kind)?.history;
        const life = lives.at(-1);
        return history && life && checkWatch({ ...life, lasted: true }, history, new Floors()).length === 0;
      });
    await waitUntil('watchers have everything', CATCH_UP_MS, async () => isWhole()).catch(() => undefined);
  }

  #finalList(kind: ChangingKind): Promise<List> {
    const [server] = this.#servers;
    const settings = { kind: kind.name, selection: {}, client: 'final', asked: 'recent', ref: kind.ref('v1') } as const;
    return list(this.#traffic, server as Direct, settings);
  }

  #target(random: Random): Target {
    const kind = random.pick(this.#kinds);
    const version = random.pick(VERSIONS);
    const { group, name, namespace } = kind;
    const ref = { ...kind.ref(version), ...(namespace === NAMESPACE && { namespace }) };
    const more = { apiVersion: `${group}/${version}`, kind: kind.kind };
    return { kind: name, shape: 'configmaps', ref, namespace, name: random.pick(NAMES), more };
  }
}

function clientOf({ cluster: { ca, token } }: Stage, server: string): Client {
  return new Client({ server, ca, token }, { names: namesOf('kubernetes'), qps: -1, maxRetries: 0, timeoutMs: 15_000 });
}
