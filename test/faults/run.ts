import { setMaxListeners } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { type Cluster, startCluster, waitUntil } from '../../tools/up/index.js';
import { Adversary, type Strike, type Victim } from './adversary/adversary.js';
import { judge } from './judge.js';
import type { History } from './model/history.js';
import { KINDS, type Kind } from './model/object-state.js';
import type { List } from './model/records.js';
import { Random } from './random.js';
import { Recorder } from './recorder.js';
import { mayPass, NAMESPACES, rest, type Server, Traffic } from './traffic/context.js';
import { Lister, list } from './traffic/lister.js';
import { planWatchers } from './traffic/watch-plan.js';
import { type RunningLife, Watcher } from './traffic/watcher.js';
import { Writer } from './traffic/writer.js';
import type { Violation } from './validators/violation.js';
import { checkWatch } from './validators/watch.js';

export interface RunSettings {
  readonly seed: number;
  /** How long there is traffic and faults, longer if not every victim was killed by then; starting, catching up and judging come on top. */
  readonly seconds: number;
  readonly watchers: number;
  readonly writers: number;
  readonly victims: readonly Victim[];
  /** Least and longest time between a recovery and the next kill, ms; 500 to 3,000 when absent. */
  readonly pauses?: readonly [number, number];
  /** How long changes can be read back, as a Go duration; longer than any run when absent, so that no 410 is right. */
  readonly retention?: string;
  /** Beside those of every run. */
  readonly serverArgs?: readonly string[];
  /** Meddles with the database before the traffic begins. */
  readonly sabotage?: (url: string) => Promise<void>;
  /** Hears what is going on. */
  readonly log?: (line: string) => void;
}

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly strikes: readonly Strike[];
  readonly counts: Readonly<Record<string, number>>;
}

const LISTERS = 2;
/** How long watchers may take to have everything once nothing fails and nobody writes, ms. */
const CATCH_UP_MS = 20_000;

/** One cluster, one run of traffic and faults on it, and the judgement. */
export async function run(settings: RunSettings): Promise<RunResult> {
  const { log = () => {} } = settings;
  const dir = mkdtempSync(join(tmpdir(), 'torture-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  log(`starting a cluster in ${dir}`);
  const cluster = await startCluster({
    dir,
    serverArgs: [
      `--history-retention=${settings.retention ?? '30m'}`,
      '--watch-bookmark-interval=2s',
      '--feature-gates=WatchList=true',
      ...(settings.serverArgs ?? []),
    ],
  });
  let clean = false;
  try {
    const result = await runOn(cluster, settings, log);
    clean = result.violations.length === 0;
    return result;
  } finally {
    await cluster.stop();
    if (clean) rmSync(dir, { recursive: true, force: true });
    else log(`logs of the servers are kept in ${dir}`);
  }
}

async function runOn(cluster: Cluster, settings: RunSettings, log: (line: string) => void): Promise<RunResult> {
  await settings.sabotage?.(cluster.postgresUrl);
  const clients = [cluster.url, ...cluster.apiServerUrls].map((url) => clientOf(cluster, url));
  const [balanced, ...direct] = clients.map(
    (client, i): Server => ({ name: i === 0 ? 'nginx' : `api-server-${i - 1}`, client }),
  );
  if (balanced === undefined) throw new Error('no address');
  const traffic = new Traffic(balanced, direct);
  const random = new Random(settings.seed);
  const recorder = new Recorder(cluster.postgresUrl);
  const adversary = new Adversary(cluster, settings.victims, random.fork('adversary'), settings.pauses);
  const watchers = planWatchers(settings.watchers, random.fork('plan')).map(
    (plan) => new Watcher(plan, traffic, random.fork(plan.id)),
  );
  const listers = Array.from(
    { length: LISTERS },
    (_, i) => new Lister(`lister-${i}`, i, traffic, random.fork(`lister-${i}`)),
  );
  const writers = Array.from(
    { length: settings.writers },
    (_, i) => new Writer(`w${i}`, traffic, random.fork(`w${i}`)),
  );

  await makeNamespaces(balanced.client);
  const [writing, watching, recording] = [new AbortController(), new AbortController(), new AbortController()];
  setMaxListeners(0, writing.signal, watching.signal);
  const running = {
    recorder: recorder.run(recording.signal),
    watchers: watchers.map((watcher) => watcher.run(watching.signal)),
    writers: [...writers, ...listers].map((actor) => actor.run(writing.signal)),
    adversary: adversary.run(writing.signal),
  };
  // A defect of an actor ends the run at once instead of going unnoticed until the end.
  const broken = Promise.all([...running.watchers, ...running.writers, running.adversary, running.recorder]);
  try {
    log(`${settings.seconds} s of traffic: ${watchers.length} watchers, ${writers.length} writers`);
    const enough = Promise.all([rest(settings.seconds * 1000, writing.signal), adversary.firstRound]);
    await Promise.race([enough, broken]);
    writing.abort();
    await Promise.all([...running.writers, running.adversary]);
    recording.abort();
    await running.recorder;
    const recorded = await recorder.finish();
    log('waiting for the watchers to have everything');
    await Promise.race([catchUp(watchers, recorded.histories), broken]);
    const [configmaps, events] = await Promise.all(KINDS.map((kind) => finalList(traffic, kind, watching.signal)));
    const final = { configmaps, events };
    for (const { current } of watchers) if (current) current.lasted = true;
    watching.abort();
    await Promise.all(running.watchers);
    log('judging');
    const lives = watchers.flatMap((watcher) => watcher.lives);
    const sequences = listers.map((lister) => lister.lists);
    const violations = judge({ traffic, lives, sequences, final, recorded });
    return { violations, strikes: adversary.strikes, counts: count(traffic, watchers, sequences, recorded.histories) };
  } finally {
    for (const controller of [writing, watching, recording]) controller.abort();
    await Promise.allSettled([broken]);
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** No repetition behind the back of the actors: they record every attempt. */
function clientOf({ ca, token }: Cluster, server: string): Client {
  return new Client({ server, ca, token }, { names: namesOf('kubernetes'), maxRetries: 0, timeoutMs: 15_000 });
}

async function makeNamespaces(client: Client): Promise<void> {
  for (const name of NAMESPACES) {
    await client.create({ group: '', version: 'v1', resource: 'namespaces' }, { metadata: { name } });
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
  const has = (watcher: Watcher): boolean => {
    const life = watcher.current;
    if (life === undefined) return false;
    if (life.start.mode === 'stream' && life.initialEnd === undefined) return false;
    const history = histories[life.kind];
    const last = history.replay(life.selection).at(-1)?.version ?? 0;
    if (life.highest >= last) return true;
    // The last event may be a deletion from before its time: only the validator can tell.
    return life.version === undefined && checkWatch({ ...life, lasted: true }, history, 0).length === 0;
  };
  await waitUntil('watchers have everything', CATCH_UP_MS, () => watchers.every(has)).catch(() => undefined);
}

function count(
  traffic: Traffic,
  watchers: readonly Watcher[],
  sequences: readonly (readonly List[])[],
  histories: Readonly<Record<Kind, History>>,
): Record<string, number> {
  const outcomes = (at: string) => traffic.writes.filter(({ outcome }) => outcome.at === at).length;
  const lives = watchers.flatMap((watcher): readonly RunningLife[] => watcher.lives);
  const entries = lives.flatMap((life) => life.entries.filter((entry) => entry < 0).length);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return {
    'writes acknowledged': outcomes('committed') + outcomes('deleted'),
    'writes refused': outcomes('refused'),
    'writes of unknown outcome': outcomes('unknown'),
    'changes committed': sum(KINDS.map((kind) => histories[kind].changes.length)),
    'reads of objects': traffic.reads.length,
    lists: traffic.lists.length + sum(sequences.map((sequence) => sequence.length)),
    'watch requests': sum(watchers.map((watcher) => watcher.requests)),
    'watcher starts': lives.length,
    'events received': sum(lives.map((life) => life.entries.length)) - sum(entries),
    'bookmarks received': sum(entries),
    ...refusalsByCode(lives),
  };
}

function refusalsByCode(lives: readonly RunningLife[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of lives.flatMap((life) => life.refusals)) {
    const name = `watches answered with ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
