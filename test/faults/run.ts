import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { ApiError, Client } from '@orch/client';
import { namesOf, parseDuration } from '@orch/machinery';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import type { Strike } from './adversary/adversary.js';
import { judge } from './judge.js';
import { Floors } from './model/floors.js';
import type { History } from './model/history.js';
import { KINDS, type Kind } from './model/object-state.js';
import type { List } from './model/records.js';
import { Random } from './random.js';
import { Recorder } from './recorder.js';
import { count } from './run-counts.js';
import { Informers } from './stage/informers.js';
import { Stage } from './stage/stage.js';
import { type ClusterUse, type Premises, withCluster } from './stage/with-cluster.js';
import { mayPass, NAMESPACES, rest, type Server, Traffic } from './traffic/context.js';
import { Lister, list } from './traffic/lister.js';
import { SpecWriter } from './traffic/spec-writer.js';
import { planWatchers } from './traffic/watch-plan.js';
import { type RunningLife, Watcher } from './traffic/watcher.js';
import { Writer } from './traffic/writer.js';
import type { Rule, Violation } from './validators/violation.js';
import { checkWatch } from './validators/watch.js';

export interface RunSettings {
  readonly seed: number;
  /** How long there is traffic, longer if the faults take longer; starting, catching up and judging come on top. */
  readonly seconds: number;
  readonly watchers: number;
  readonly writers: number;
  /** Injects faults during the run. It must leave all processes running. */
  readonly faults?: (stage: Stage) => Promise<void>;
  /** How long changes can be read back, as a Go duration; longer than any run when absent, so that no 410 is right. */
  readonly retention?: string;
  /** Beside those of every run. */
  readonly serverArgs?: readonly string[];
  /** How the cluster differs from that of `make up`. */
  readonly cluster?: Pick<ClusterUse, 'apiServers' | 'gateways' | 'through' | 'prepare' | 'mutations'>;
  /** URL of the database that `serverArgs` name; the cluster's own if absent. */
  readonly postgresUrl?: string;
  /** Informers of client-go that must hold what the database holds (V5); needs the Go tools. */
  readonly informers?: number;
  /** Meddles with the database before the traffic begins. */
  readonly sabotage?: (url: string) => Promise<void>;
  /** The rule that a negative control has to break: nothing is kept of a run that did. */
  readonly expected?: Rule | undefined;
  /** Hears what is going on. */
  readonly log?: (line: string) => void;
}

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly strikes: readonly Strike[];
  readonly counts: Readonly<Record<string, number>>;
  /** Measurements of the faults, in ms unless the name says otherwise. */
  readonly measures: Readonly<Record<string, number>>;
}

const LISTERS = 2;
/** How long watchers may take to have everything once nothing fails and nobody writes, ms. */
const CATCH_UP_MS = 40_000;

/** Starts a cluster, runs traffic and faults on it once, and judges the records. */
export async function run(settings: RunSettings): Promise<RunResult> {
  const { log = () => {} } = settings;
  const result = await withCluster(
    {
      log,
      ...settings.cluster,
      serverArgs: [
        `--history-retention=${settings.retention ?? '30m'}`,
        '--watch-bookmark-interval=2s',
        ...(settings.serverArgs ?? []),
      ],
    },
    async (premises) => {
      const outcome = await runOn(premises, settings, log);
      const { violations } = outcome;
      const clean = violations.length === 0 || violations.some(({ rule }) => rule === settings.expected);
      return { ...outcome, clean };
    },
  );
  return result;
}

async function runOn(
  { cluster, links, dir }: Premises,
  settings: RunSettings,
  log: (line: string) => void,
): Promise<RunResult> {
  const postgresUrl = settings.postgresUrl ?? cluster.postgresUrl;
  await settings.sabotage?.(postgresUrl);
  const clients = [cluster.url, ...cluster.apiServerUrls].map((url) => clientOf(cluster, url));
  const [balanced, ...direct] = clients.map(
    (client, i): Server => ({ name: i === 0 ? 'nginx' : `api-server-${i - 1}`, client }),
  );
  if (balanced === undefined) throw new Error('no address');
  const traffic = new Traffic(balanced, direct);
  const random = new Random(settings.seed);
  const retention =
    settings.retention === undefined ? undefined : Number(parseDuration(settings.retention) / 1_000_000n);
  const recorder = new Recorder(postgresUrl, retention);
  const [writing, watching, over] = [new AbortController(), new AbortController(), new AbortController()];
  setMaxListeners(0, writing.signal, watching.signal, over.signal);
  const stage = new Stage({
    cluster,
    links,
    postgresUrl,
    random: random.fork('adversary'),
    log,
    over: over.signal,
    signal: writing.signal,
  });
  const actors = castOf(settings, traffic, random);
  const informers = await Informers.start(cluster, dir, settings.informers ?? 0);

  await recorder.open();
  await makeNamespaces(balanced.client);
  const running = {
    recorder: recorder.run(writing.signal),
    watchers: actors.watchers.map((watcher) => watcher.run(watching.signal, writing.signal)),
    writers: [...actors.writers, ...actors.listers].map((actor) => actor.run(writing.signal)),
    faults: settings.faults?.(stage) ?? Promise.resolve(),
  };
  // A defect of an actor ends the run at once instead of going unnoticed until the end.
  const broken = Promise.all([...running.watchers, ...running.writers, running.recorder]).then(() => undefined);
  try {
    log(`${settings.seconds} s of traffic: ${actors.watchers.length} watchers, ${actors.writers.length} writers`);
    const time = rest(settings.seconds * 1000, writing.signal).then(() => over.abort());
    await Promise.race([Promise.all([time, running.faults]), broken]);
    writing.abort();
    await Promise.all([...running.writers, running.recorder]);
    const recorded = await recorder.finish();
    log('waiting for the watchers to have everything');
    await Promise.race([catchUp(actors.watchers, recorded.histories), broken]);
    const found = await informers.judge(recorded, CATCH_UP_MS);
    const [configmaps, events] = await Promise.all(KINDS.map((kind) => finalList(traffic, kind, watching.signal)));
    const final = { configmaps, events };
    for (const { current } of actors.watchers) if (current) current.lasted = true;
    watching.abort();
    await Promise.all(running.watchers);
    const floors = await recorder.floors();
    log('judging');
    traffic.lists.push(...stage.lists);
    const lives = actors.watchers.flatMap((watcher) => watcher.lives);
    const sequences = actors.listers.map((lister) => lister.lists);
    const judged = judge({ traffic, lives, sequences, final, recorded: { ...recorded, floors } });
    return {
      violations: [
        ...stage.violations,
        ...[...actors.watchers, ...actors.listers].flatMap((actor) => actor.violations),
        ...judged,
        ...found.violations,
      ],
      strikes: stage.strikes,
      measures: stage.measures,
      counts: { ...count(traffic, actors.watchers, sequences, recorded.histories), ...found.counts },
    };
  } finally {
    for (const controller of [writing, watching, over]) controller.abort();
    await Promise.allSettled([broken, running.faults]);
    await informers.stop();
    await recorder.close().catch(() => undefined);
    stage.close();
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Everyone who takes part, each with decisions of its own. */
function castOf(settings: RunSettings, traffic: Traffic, random: Random) {
  const watchers = planWatchers(settings.watchers, random.fork('plan')).map(
    (plan) => new Watcher(plan, traffic, random.fork(plan.id)),
  );
  const named = <T>(amount: number, prefix: string, make: (name: string, i: number) => T): T[] =>
    Array.from({ length: amount }, (_, i) => make(`${prefix}${i}`, i));
  const listers = named(LISTERS, 'lister-', (name, i) => new Lister(name, i, traffic, random.fork(name)));
  const writers = [
    ...named(settings.writers, 'w', (name) => new Writer(name, traffic, random.fork(name))),
    new SpecWriter(traffic, random.fork('spec')),
  ];
  return { watchers, listers, writers };
}

/** No repetition behind the back of the actors: they record every attempt. */
function clientOf({ ca, token }: Cluster, server: string): Client {
  return new Client({ server, ca, token }, { names: namesOf('kubernetes'), qps: -1, maxRetries: 0, timeoutMs: 15_000 });
}

/** Again until they are there: the system may be broken on purpose already. */
async function makeNamespaces(client: Client): Promise<void> {
  const ref = { group: '', version: 'v1', resource: 'namespaces' };
  const isThere = (error: unknown) => error instanceof ApiError && error.code === 409;
  for (const name of NAMESPACES) {
    const made = () => client.create(ref, { metadata: { name } }).then(() => true, isThere);
    await waitUntil(`the namespace ${name} is there`, CATCH_UP_MS, made);
  }
}

/** Undefined when none can be had in time. */
async function finalList(traffic: Traffic, kind: Kind, signal: AbortSignal): Promise<List | undefined> {
  const deadline = performance.now() + CATCH_UP_MS;
  while (performance.now() < deadline) {
    try {
      return await list(traffic, traffic.balanced, { kind, selection: {}, client: 'final', asked: 'recent' });
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await rest(250, signal);
  }
  return undefined;
}

/** Gives up quietly: what is missing then is for the validators to say. */
async function catchUp(watchers: readonly Watcher[], histories: Readonly<Record<Kind, History>>): Promise<void> {
  // After an hour of traffic a replay takes a good part of a second, and there is one for each selection. They are made before the time
  // to catch up begins, with turns for what comes in between: together they outlast it.
  for (const { plan } of watchers) {
    histories[plan.kind].replay(plan.selection);
    await setImmediate();
  }
  // Judging a life takes tens of milliseconds after an hour of traffic, in which nobody receives anything: each is judged once as it is.
  const judged = new WeakMap<RunningLife, { readonly entries: number; readonly isWhole: boolean }>();
  const isWhole = (life: RunningLife, history: History): boolean => {
    const entries = life.entries.length;
    const known = judged.get(life);
    if (known?.entries === entries) return known.isWhole;
    // The last event may be a deletion from before its time: only the validator can tell.
    const found = checkWatch({ ...life, lasted: true }, history, new Floors()).length === 0;
    judged.set(life, { entries, isWhole: found });
    return found;
  };
  const has = (watcher: Watcher): boolean => {
    const life = watcher.current;
    if (life === undefined) return false;
    if (life.start.mode === 'stream' && life.initialEnd === undefined) return false;
    const history = histories[life.kind];
    const last = history.replay(life.selection).at(-1)?.version ?? 0;
    return life.highest >= last || (life.version === undefined && isWhole(life, history));
  };
  await waitUntil('watchers have everything', CATCH_UP_MS, () => watchers.every(has)).catch(() => undefined);
}
