import type { Answer } from '../../support/api.js';
import { Fickle } from '../rights/fickle.js';
import { insist } from '../rights/insist.js';
import { Pulse } from '../rights/pulse.js';
import { Canary } from '../stage/canary.js';
import { Crowd, type Member } from '../stage/crowd.js';
import type { Mutation } from '../stage/mutant.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { checkRights, type WatchRecord } from '../validators/rights.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PULSE = `${MAPS}/pulse`;
const WATCH = `${MAPS}?watch=1&fieldSelector=metadata.name%3Dpulse&timeoutSeconds=3600`;
const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const ROLE = 'maps';
/** Between two changes of rights. */
const CHANGE_MS = 100;
/** After which time new rights hold everywhere. */
const WITHIN_MS = 1_000;
/** Tolerance for a p99 in ms, and number of further attempts. */
const NOISE_MS = 10;
const ROUNDS = 3;
const STEADY = ['ann', 'bob', 'eve', 'sue'];
const FICKLE = Array.from({ length: 10 }, (_, at) => `fickle-${at}`);
const PULSES_WITHOUT = 20;

const about = {
  name: 'rights',
  fault: 'rights are taken and given back, 10 times a second, beside 1,000 watches on both tiers',
  pass: 'nothing written a second after its rights were taken comes to anybody, whose watches end with 403 in order, and none of whoever has rights is refused or ended; the others have everything, once and in order, none is closed, and their p99 moves by less than 10 %',
};

export const rights = changing(about);

/** The negative controls. */
const OPEN_WATCHES = 'libs/serving/dist/watching/open-watches.js';
export const rightsUnjudged = controlled(
  changing(negative('rights-unjudged', 'watches that are open are not judged again', 'R.forbidden'), {
    module: OPEN_WATCHES,
    part: 'await asked(judge, watch);',
    by: 'undefined;',
  }),
  'R.forbidden',
);
export const rightsOfAll = controlled(
  changing(
    negative('rights-of-all', "all watches end when anybody's rights are taken", 'R.stream'),
    { module: OPEN_WATCHES, part: 'concerned ? this.#concerned(concerned) : this.#open', by: 'this.#open' },
    { module: OPEN_WATCHES, part: 'await asked(judge, watch);', by: `toStatusError(new Error('for all'));` },
  ),
  'R.stream',
);

function negative(name: string, defect: string, rule: string): Omit<Scenario, 'run'> {
  return { name, fault: `the same where ${defect}: the negative control`, pass: `${rule} says so` };
}

function changing(what: Omit<Scenario, 'run'>, ...mutations: readonly Mutation[]): Scenario {
  const strangers = Object.fromEntries([...STEADY, ...FICKLE].map((user) => [user, user]));
  return staged(what, { strangers, mutations }, async (stage, settings) => {
    await prepare(stage);
    const { apiServerUrls, gatewayUrls } = stage.cluster;
    const urls = [...apiServerUrls, ...gatewayUrls];
    const pulse = new Pulse(stage, PULSE);
    const crowds = STEADY.map((user, at) => new Crowd(stage, urls[at % urls.length], user));
    const steady = (
      await Promise.all(
        crowds.map((crowd) => crowd.gather(Math.ceil(scaled(settings, 960, 96) / crowds.length), WATCH)),
      )
    ).flat();
    const fickle = FICKLE.slice(0, scaled(settings, 10, 4)).map(
      (user) => new Fickle(stage, user, urls, WATCH, rightsOf(stage, user)),
    );
    const canary = await Canary.start(stage.postgresUrl);
    try {
      await stage.recovers('everybody watches', 60_000, () => fickle.every((one) => one.stands(200)));
      await beside(stage, settings, pulse, steady, fickle);
      await withoutRights(stage, pulse, fickle);
    } finally {
      await Promise.all([canary.stop(), ...fickle.map((one) => one.stop())]);
    }
    pulse.expectAll(steady);
    judge(stage, steady, fickle, WITHIN_MS + canary.worst);
    for (const member of steady) member.close();
    for (const crowd of crowds) crowd.close();
  });
}

async function prepare(stage: Stage): Promise<void> {
  const made = async (path: string, body: object) => {
    const { status, text } = await stage.api().post(path, body);
    if (status !== 201) throw new Error(`${status} ${text}`);
  };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] }];
  await made(`${RBAC}/clusterroles`, { metadata: { name: ROLE }, rules });
  await made(BINDINGS, bindingOf('steady', STEADY));
  for (const user of FICKLE) await made(BINDINGS, bindingOf(user, [user]));
  await made(MAPS, { metadata: { name: 'pulse' } });
}

const bindingOf = (name: string, users: readonly string[]) => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: ROLE },
  subjects: users.map((user) => ({ kind: 'User', apiGroup: GROUP, name: user })),
});

async function expect(stage: Stage, expected: readonly number[], ask: () => Promise<Answer>): Promise<void> {
  const { status, text } = await insist(ask);
  stage.must('R.answer', expected.includes(status), `a change of rights was answered with ${status} ${text}`);
}

const rightsOf = (stage: Stage, user: string) => ({
  take: async () => expect(stage, [200, 404], () => stage.api().delete(`${BINDINGS}/${user}`)),
  give: async () => expect(stage, [201, 409], () => stage.api().post(BINDINGS, bindingOf(user, [user]))),
});

/** Rights change beside the pulse; what that does to those whom it does not concern. */
async function beside(
  stage: Stage,
  settings: ScenarioSettings,
  pulse: Pulse,
  steady: readonly Member[],
  fickle: readonly Fickle[],
): Promise<void> {
  const count = scaled(settings, 1_500, 100);
  const rounds: P99s[] = [];
  await pulse.during(count, steady);
  do {
    const before = await pulse.during(count, steady);
    const over = new AbortController();
    const [during] = await Promise.all([
      pulse.during(count, steady).finally(() => over.abort()),
      change(stage, fickle, over.signal),
    ]);
    rounds.push({ before: before.p99, during: during.p99 });
    stage.measure('p99 of events before', before.p99);
    stage.measure('p99 of events during', during.p99);
  } while (rounds.length < ROUNDS && !isSteady(rounds) && stage.violations.length === 0);
  stage.must('R.latency', isSteady(rounds), `p99 of the others, ms: ${JSON.stringify(rounds)}`);
  stage.measure(
    'changes of rights',
    fickle.reduce((sum, { changes }) => sum + changes.length, 0),
  );
}

/** Milliseconds that events take to those whose rights stay: before others' change, and meanwhile. */
interface P99s {
  readonly before: number;
  readonly during: number;
}

/** A busy machine adds more than its noise, but not each time. */
const isSteady = (rounds: readonly P99s[]): boolean =>
  Math.min(...rounds.map(({ during }) => during)) <= Math.max(...rounds.map(({ before }) => before)) * 1.1 + NOISE_MS;

async function change(stage: Stage, fickle: readonly Fickle[], over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const next = rest(CHANGE_MS, over);
    await stage.random.pick(fickle).change();
    await next;
  }
}

/** In the end nobody of them has rights, and then all have: what comes of that does not depend on the clock. */
async function withoutRights(stage: Stage, pulse: Pulse, fickle: readonly Fickle[]): Promise<void> {
  for (const one of fickle) if (one.bound) await one.change();
  await stage.recovers('all are refused whose rights are gone', 30_000, () => fickle.every((one) => one.stands(403)));
  const before = fickle.map(({ received }) => received);
  for (let left = PULSES_WITHOUT; left > 0; left--) await pulse.beat();
  for (const [at, { user, received }] of fickle.entries()) {
    stage.must('R.forbidden', received === before[at], `${user} was sent events when nobody had given its rights back`);
  }
  for (const one of fickle) await one.change();
  await stage.recovers('all watch who have rights again', 30_000, () => fickle.every((one) => one.stands(200)));
}

function judge(stage: Stage, steady: readonly Member[], fickle: readonly Fickle[], withinMs: number): void {
  for (const { user, changes, records } of fickle) {
    for (const { rule, message } of checkRights(user, changes, records, withinMs)) stage.report(rule, message);
    stage.measure('watches that ended with 403', (stage.measures['watches that ended with 403'] ?? 0) + ended(records));
  }
  const closed = steady.filter(({ status, ended }) => status !== 200 || ended).length;
  stage.must('R.stream', closed === 0, `${closed} of ${steady.length} whose rights stayed were refused or closed`);
}

const ended = (records: readonly WatchRecord[]): number => records.filter(({ end }) => end?.code === 403).length;
