import { type Answer, Api } from '../../support/api.js';
import { strike } from '../adversary/adversary.js';
import { GUARDED, GUARDS, TOKENS, WHY } from '../stage/guards.js';
import type { Mutation } from '../stage/mutant.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const CORE = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

const labels = { [GUARDED]: 'yes' };
const containers = [{ name: 'c', image: 'i' }];
const web = {
  metadata: { name: 'web', labels },
  spec: {
    selector: { matchLabels: { app: 'w' } },
    template: { metadata: { labels: { app: 'w' } }, spec: { containers } },
  },
};
const note = { metadata: { annotations: { by: 'a trespasser' } } };

/** Writes that an admission plugin refuses: each verb, subresource and encoding. */
const WRITES: readonly [method: string, path: string, body?: unknown, type?: string][] = [
  ['POST', CORE, { metadata: { name: 'new', labels } }],
  ['POST', CORE, { metadata: { generateName: 'new-', labels } }],
  ['PUT', `${LEASES}/new`, { metadata: { name: 'new', labels } }],
  ['PUT', `${DEPLOYMENTS}/web`, web],
  ['PATCH', `${DEPLOYMENTS}/web`, note, 'merge-patch'],
  ['PATCH', `${DEPLOYMENTS}/web`, note, 'strategic-merge-patch'],
  ['PATCH', `${DEPLOYMENTS}/web`, [{ op: 'add', path: '/spec/paused', value: true }], 'json-patch'],
  ['PUT', `${DEPLOYMENTS}/web/status`, { ...web, status: { replicas: 7 } }],
  ['PATCH', `${DEPLOYMENTS}/web/status`, { status: { replicas: 7 } }, 'merge-patch'],
  ['PUT', `${DEPLOYMENTS}/web/scale`, { metadata: { name: 'web' }, spec: { replicas: 7 } }],
  ['PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 7 } }, 'merge-patch'],
  ['DELETE', `${DEPLOYMENTS}/web`],
  ['DELETE', DEPLOYMENTS],
];

const about = {
  name: 'trespass',
  fault:
    'somebody goes on asking for what an admission plugin or an authorizer refuses, by every verb and at every server, while servers are killed',
  pass: '403 each time, also in dry runs and for watches that are handed on, whichever of the two servers refuses; nothing of it is done; who may is served',
};

export const trespass = guarded(about);

/** The negative controls. */
export const trespassUnadmitted = controlled(
  guarded(negative('trespass-unadmitted', 'admission is skipped on deletions'), {
    module: 'libs/writing/dist/stages/admission.js',
    part: 'if (plugins.validating.length === 0)',
    by: `if (draft.operation === 'DELETE' || plugins.validating.length === 0)`,
  }),
  'R.forbidden',
);
export const trespassHandedOn = controlled(
  guarded(
    negative('trespass-handed-on', 'an api-server hands watches on without asking who may'),
    unauthorized(`options.proxyWatch && ctx.info.verb === 'watch'`),
  ),
  'R.forbidden',
);
export const trespassBelieved = controlled(
  guarded(
    negative('trespass-believed', 'a gateway takes what is handed on to it for allowed'),
    unauthorized(`ctx.authentication.method === 'proxy'`),
  ),
  'R.forbidden',
);

function negative(name: string, defect: string): Omit<Scenario, 'run'> {
  return { name, fault: `the same where ${defect}: the negative control`, pass: 'R.forbidden says so' };
}

function unauthorized(when: string): Mutation {
  return {
    module: 'libs/serving/dist/chain/listener.js',
    part: 'authorization(names, decide),',
    by: `((judge) => (ctx) => (${when} ? undefined : judge(ctx)))(authorization(names, decide)),`,
  };
}

function guarded(what: Omit<Scenario, 'run'>, ...defects: readonly Mutation[]): Scenario {
  return staged(what, { tokens: TOKENS, mutations: [...GUARDS, ...defects] }, trespassing);
}

async function trespassing(stage: Stage, settings: ScenarioSettings): Promise<void> {
  const before = await prepare(stage);
  const people = new People(stage);
  const { apiServers, gateways } = stage.cluster;
  try {
    for (let round = scaled(settings, 20, 1); round > 0; round--) {
      const victim = stage.random.pick([...apiServers, ...gateways]);
      await Promise.all([strike(stage, victim, stage.random.between(0, 500)), everywhere(stage, people, 'may fail')]);
    }
    await everywhere(stage, people, 'must answer');
  } finally {
    people.leave();
  }
  const after = await guardedObjects(stage);
  stage.must('R.forbidden', after === before, `guarded objects were ${before} and are ${after}`);
}

/** The administrator makes what others may not touch. */
async function prepare(stage: Stage): Promise<string> {
  const { status, text } = await stage.api().post(DEPLOYMENTS, web);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return guardedObjects(stage);
}

async function guardedObjects({ postgresUrl }: Stage): Promise<string> {
  const rows = await sql<{ found: string }>(
    postgresUrl,
    `SELECT name || ' at ' || version AS found FROM object
      WHERE convert_from(body, 'UTF8')::jsonb #>> '{metadata,labels,${GUARDED}}' IS NOT NULL ORDER BY 1`,
  );
  return rows.map(({ found }) => found).join();
}

type User = (typeof TOKENS)[keyof typeof TOKENS];

/** Everybody at every server, on connections of their own. */
class People {
  readonly #apis = new Map<string, Api>();

  constructor(private readonly stage: Stage) {}

  at(url: string, user: User): Api {
    const [token = ''] = Object.entries(TOKENS).find(([, whose]) => whose === user) ?? [];
    const api = this.#apis.get(`${user} ${url}`) ?? new Api({ url, ca: this.stage.cluster.ca, token });
    this.#apis.set(`${user} ${url}`, api);
    return api;
  }

  leave(): void {
    for (const api of this.#apis.values()) api.close();
  }
}

/** A server that is killed meanwhile does not answer, or not for itself. */
type Demand = 'may fail' | 'must answer';

async function everywhere(stage: Stage, people: People, demand: Demand): Promise<void> {
  const { apiServerUrls, gatewayUrls } = stage.cluster;
  const expect = expecting(stage, demand);
  for (const url of apiServerUrls) {
    await expectGuarded(url, people, expect);
    for (const user of ['not-at-api-server', 'not-at-watch-gateway'] as const)
      await expect(403, `a watch of ${user} at ${url}`, () => watch(people.at(url, user)));
    await expect(200, `a watch of guest at ${url}`, () => watch(people.at(url, 'guest')));
  }
  for (const url of gatewayUrls) {
    await expect(403, `a watch past the api-servers, at ${url}`, () => watch(people.at(url, 'not-at-watch-gateway')));
    await expect(200, `a watch of who may at ${url}`, () => watch(people.at(url, 'not-at-api-server')));
  }
}

async function expectGuarded(url: string, people: People, expect: Expecting): Promise<void> {
  const guest = people.at(url, 'guest');
  for (const query of ['', '?dryRun=All']) {
    for (const [method, path, body, type] of WRITES) {
      const headers = { 'content-type': `application/${type ? `${type}+` : ''}json` };
      const ask = () => guest.request(method, `${path}${query}`, body === undefined ? {} : { body, headers });
      await expect(403, `${method} ${path}${query} ${type ?? ''} at ${url}`, ask);
    }
  }
  await expect(201, `a write of what is not guarded at ${url}`, () =>
    guest.post(CORE, { metadata: { generateName: 'free-' } }),
  );
}

type Ask = () => Promise<Pick<Answer, 'status' | 'text'>>;
type Expecting = (status: 200 | 201 | 403, what: string, ask: Ask) => Promise<void>;

const expecting =
  (stage: Stage, demand: Demand): Expecting =>
  async (expected, what, ask) => {
    const answer = await ask().catch((error: Error) => ({ status: 0, text: error.message }));
    const { status, text } = answer;
    const gone = status === 0 || status === 429 || status >= 500;
    if (demand === 'may fail' && gone) return;
    const right = status === expected && (status !== 403 || text.includes(WHY));
    stage.must(expected === 403 ? 'R.forbidden' : 'R.answer', right, `${what} was answered with ${status} ${text}`);
    stage.measures[`answers with ${expected}`] = (stage.measures[`answers with ${expected}`] ?? 0) + 1;
  };

async function watch(api: Api): Promise<{ status: number; text: string }> {
  const stream = await api.watch(`${CORE}?watch=1&timeoutSeconds=5`);
  const text = stream.status === 200 ? '' : JSON.stringify(await stream.refusal());
  stream.close();
  return { status: stream.status, text };
}
