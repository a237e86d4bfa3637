import { type Explanation, explain, profilesFrom } from '@orch/scheduler/testing';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { CONFIGURATION } from './profiles.js';
import { Random } from './random.js';
import { randomPod } from './random-pods.js';
import { ReferenceScheduler } from './reference.js';
import { ok, Snapshot } from './snapshot.js';

const SNAPSHOTS = Number(process.env.SCHEDULER_SNAPSHOTS ?? 6);
const PODS_EACH = 40;
const FIRST_SEED = Number(process.env.SCHEDULER_SEED ?? 1);
const SCHEDULERS = CONFIGURATION.profiles.map(({ schedulerName }) => schedulerName);

let server: Standalone;
let api: Api;
let reference: ReferenceScheduler;
let snapshot: Snapshot;

beforeAll(async () => {
  server = await startStandalone();
  api = new Api(server);
  reference = await ReferenceScheduler.start(server);
  snapshot = new Snapshot(api, reference);
  await snapshot.prepare();
}, 3_600_000);

afterAll(async () => {
  await reference?.stop();
  api?.close();
  await server?.stop();
});

/** What the scheduler of the release has decided, as far as it can be seen. */
interface Decided {
  readonly node: string | undefined;
  readonly message: string | undefined;
  readonly nominated: string | undefined;
  readonly victims: readonly string[];
}

const keyOf = ({ metadata }: Pod): string => `${metadata?.namespace}/${metadata?.name}`;
const pathOf = ({ metadata }: Pod): string => `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`;

async function decided(pod: Pod): Promise<Decided> {
  const scheduled = (of: Pod) => of.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const get = async () => (await api.get(pathOf(pod))).json<Pod>();
  await expect.poll(async () => scheduled(await get())?.status, { interval: 2 }).toBeDefined();
  const found = await get();
  const pods = (await api.get('/api/v1/pods')).json<{ items: readonly Pod[] }>().items;
  const victims = pods.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'DisruptionTarget'));
  return {
    node: found.spec?.nodeName,
    message: found.spec?.nodeName ? undefined : scheduled(found)?.message,
    nominated: found.status?.nominatedNodeName,
    victims: victims.map(keyOf).sort(),
  };
}

/** Returns what differs, as two texts; equal ones where nothing does. */
function compared(ours: Explanation, theirs: Decided, pod: Pod) {
  const { reasons = {}, message, victims } = ours;
  if (message !== undefined || theirs.node === undefined) {
    const chosen = victims[theirs.nominated ?? ''];
    // The reference takes the priority of the first victim for the highest; the first are those of budgets, whatever theirs is.
    const mayChoose = chosen ? chosen.isBest || chosen.violations > 0 : Object.keys(victims).length === 0;
    return {
      ours: { message, victims: chosen?.pods ?? [], mayChoose: true },
      theirs: { message: theirs.message, victims: theirs.victims, mayChoose },
    };
  }
  const feasible = Object.keys(reasons).filter((name) => reasons[name] === '');
  const scores = reference.scores(keyOf(pod));
  const scored = Object.keys(scores.NodeResourcesFit ?? { [theirs.node]: 0 });
  const theirScores = Object.entries(scores).filter(([plugin]) => feasible.length > 1 && ours.scores[plugin]);
  const differing = Object.entries(scores).filter(([plugin, of]) => !ours.scores[plugin] && !areEqual(of));
  return {
    ours: { feasible: feasible.sort(), scores: feasible.length > 1 ? ours.scores : {}, differing: [] },
    theirs: { feasible: scored.sort(), scores: Object.fromEntries(theirScores), differing },
  };
}

const areEqual = (scores: Readonly<Record<string, number>>): boolean => new Set(Object.values(scores)).size === 1;

/** Removes what the decision has left behind, with a chance what it has placed too. */
async function tidy(random: Random, pod: Pod, { node, victims }: Decided): Promise<void> {
  const isKept = node !== undefined && random.chance(0.4);
  if (isKept) await snapshot.began(random, pathOf(pod));
  else await snapshot.delete(pathOf(pod));
  if (node === undefined) await reference.noticed('"Delete event for unscheduled pod" pod=', [keyOf(pod)]);
  for (const key of victims) await snapshot.delete(`/api/v1/namespaces/${key.replace('/', '/pods/')}`);
  await snapshot.podsNoticed();
}

async function attempt(random: Random, object: object) {
  const cluster = await snapshot.copy();
  reference.forget();
  const { namespace } = (object as Pod).metadata ?? {};
  const pod = ok(await api.post(`/api/v1/namespaces/${namespace}/pods`, object)).json<Pod>();
  const profile = profilesFrom(CONFIGURATION, cluster).find(({ name }) => name === pod.spec?.schedulerName);
  if (!profile) throw new Error(`there is no profile ${pod.spec?.schedulerName}`);
  const ours = await explain(cluster, pod, profile);
  const theirs = await decided(pod);
  const result = compared(ours, theirs, pod);
  await tidy(random, pod, theirs);
  return { ...result, pod };
}

test.each(Array.from({ length: SNAPSHOTS }, (_, at) => FIRST_SEED + at))(
  'decides as the scheduler of the release: seed %i',
  async (seed) => {
    const random = new Random(seed);
    const nodes = await snapshot.fill(random);
    for (let at = 0; at < PODS_EACH; at++) {
      const schedulerName = random.pick(SCHEDULERS);
      const {
        ours,
        theirs,
        pod: { metadata: { managedFields: _, ...metadata } = {}, spec },
      } = await attempt(random, randomPod(random, `p${at}`, nodes, { schedulerName }));
      expect(ours, `seed ${seed}, ${JSON.stringify({ metadata, spec })}`).toEqual(theirs);
    }
  },
);
