import { Api } from '../../support/api.js';
import type { Mutation } from '../stage/mutant.js';
import { type Latencies, latencies } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const CORE = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Callers with bad keys, and others: each asks again when it has been answered. */
const ATTACKERS = 4;
const READERS = 4;
const WRITERS = 4;
/** Slower beside bad keys than beside as many good ones, at most; and what a busy machine may add, ms. */
const FACTOR = 1.1;
const GRACE_MS = 20;

/** Invalid object names, as in JSON and as in a path. */
const BAD_NAMES: readonly (readonly [text: string, path: string])[] = [
  ['a\0b', 'a%00b'],
  ['a\ud800b', 'a%ED%A0%80b'],
  ['x'.repeat(10_000), 'x'.repeat(10_000)],
];
/** The same with a name that nothing has: what it costs to ask so much. */
const GOOD_NAMES: typeof BAD_NAMES = [['absent', 'absent']];

interface Ask {
  readonly verb: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  readonly path: string;
  readonly body?: object;
}

const pod = (spec: object, metadata: object = { generateName: 'p-' }): object => ({
  metadata,
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

/** Requests in which a name becomes a key; nothing that is well-formed is kept. */
function asks([text, path]: readonly [string, string]): Ask[] {
  const metadata = { name: text };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: text };
  return [
    { verb: 'GET', path: `${CORE}/configmaps/${path}` },
    { verb: 'GET', path: `${CORE}/configmaps/${path}?resourceVersion=0` },
    { verb: 'GET', path: `/api/v1/namespaces/${path}/secrets/a` },
    { verb: 'GET', path: `/api/v1/namespaces/${path}/configmaps?limit=1` },
    { verb: 'GET', path: `${CORE}/configmaps?fieldSelector=metadata.name%3D${path}` },
    { verb: 'GET', path: `${CORE}/configmaps?resourceVersion=99999999999999999999` },
    { verb: 'DELETE', path: `${CORE}/configmaps/${path}` },
    { verb: 'PATCH', path: `${CORE}/configmaps/${path}?dryRun=All`, body: { data: { a: 'b' } } },
    { verb: 'PUT', path: `${CORE}/configmaps/${path}`, body: { metadata, data: {} } },
    { verb: 'POST', path: `${CORE}/configmaps?dryRun=All`, body: { metadata } },
    { verb: 'POST', path: `${CORE}/events?dryRun=All`, body: { metadata, involvedObject: { namespace: 'default' } } },
    { verb: 'POST', path: `${CORE}/pods?dryRun=All`, body: pod({ runtimeClassName: text }) },
    { verb: 'POST', path: `${CORE}/pods?dryRun=All`, body: pod({ serviceAccountName: text }) },
    { verb: 'POST', path: `${CORE}/pods?dryRun=All`, body: pod({ priorityClassName: text }) },
    { verb: 'POST', path: `${CORE}/pods/${path}/eviction?dryRun=All`, body: { metadata } },
    { verb: 'POST', path: `${RBAC}/namespaces/default/roles?dryRun=All`, body: { metadata, rules: [] } },
    {
      verb: 'POST',
      path: `${RBAC}/namespaces/default/rolebindings?dryRun=All`,
      body: { metadata, roleRef, subjects: [] },
    },
    { verb: 'POST', path: `/api/v1/namespaces/${path}/configmaps?dryRun=All`, body: { metadata: { name: 'a' } } },
  ];
}

export const badKeys = beside({
  name: 'bad-keys',
  fault:
    'callers ask for what no object can be called, in every field that becomes a key, beside the gets and patches of others',
  pass: 'they are told that it is not so, or not there (4xx); no request of others fails, and their p99 is less than a tenth higher than beside as many requests that are well-formed',
});

/** The negative control: keys are not checked, and what fails together fails for all. */
export const badKeysShared = controlled(
  beside(
    {
      name: 'bad-keys-shared',
      fault:
        'the same where keys are not checked and a statement that fails fails for all who share it: the negative control',
      pass: 'R.answer says so',
    },
    [
      {
        module: 'libs/storage/dist/face/key.js',
        part: "return !text.includes('\\0') && text.isWellFormed();",
        by: 'return true;',
      },
      {
        module: 'libs/storage/dist/writes/gatherer.js',
        part: 'if (error instanceof StoreUnavailableError)\n                throw error;',
        by: 'throw error;',
      },
    ],
  ),
  'R.answer',
);

function beside(about: Omit<Scenario, 'run'>, mutations: readonly Mutation[] = []): Scenario {
  // Nothing is read from memory: gets share statements then.
  const cluster = { apiServers: 1, gateways: 0, serverArgs: ['--list-load-bytes=0'], mutations };
  return staged(about, cluster, async (stage, settings) => {
    const names = Array.from({ length: READERS + WRITERS }, (_, i) => `o${i}`);
    for (const name of names) {
      const { status, text } = await stage.api().post(`${CORE}/configmaps`, { metadata: { name } });
      if (status !== 201) throw new Error(`${status} ${text}`);
    }
    await round(stage, settings, names, GOOD_NAMES);
    const good = await round(stage, settings, names, GOOD_NAMES);
    const bad = await round(stage, settings, names, BAD_NAMES);
    stage.measure('p99 of others beside good names, ms', good.p99);
    stage.measure('p99 of others beside bad names, ms', bad.p99);
    stage.measure('requests of others', bad.count);
    const fast = bad.p99 <= FACTOR * good.p99 + GRACE_MS;
    stage.must('R.latency', fast, `p99 of others is ${bad.p99.toFixed(1)} ms, ${good.p99.toFixed(1)} without`);
  });
}

/** Attackers and others at once; how long those took who asked for nothing bad. */
async function round(
  stage: Stage,
  settings: ScenarioSettings,
  names: readonly string[],
  asked: typeof BAD_NAMES,
): Promise<Latencies> {
  const over = new AbortController();
  const requests = asked.flatMap(asks);
  const attackers = Array.from({ length: ATTACKERS }, (_, i) => attack(stage, requests, i, over.signal));
  const times: number[] = [];
  const others = names.map((name, i) => ask(stage, name, i < READERS, times, over.signal));
  await rest(scaled(settings, 30_000, 5_000), stage.signal);
  over.abort();
  await Promise.all([...attackers, ...others]);
  return latencies(times);
}

async function attack(stage: Stage, requests: readonly Ask[], from: number, over: AbortSignal): Promise<void> {
  const api = clientOf(stage);
  for (let i = from; !over.aborted; i++) {
    const { verb, path, body } = requests[i % requests.length] as Ask;
    const { status, text } =
      verb === 'PATCH' ? await api.patch(path, 'merge', body) : await api.request(verb, path, body ? { body } : {});
    const what = `${verb} ${path.slice(0, 100)} ${JSON.stringify(body ?? '').slice(0, 100)}`;
    stage.must('R.answer', status < 500, `${what} was answered with ${status} ${text.slice(0, 200)}`);
    if (stage.violations.length > 50) break;
  }
  api.close();
}

async function ask(stage: Stage, name: string, reads: boolean, times: number[], over: AbortSignal): Promise<void> {
  const api = clientOf(stage);
  const path = `${CORE}/configmaps/${name}`;
  for (let i = 0; !over.aborted; i++) {
    const start = performance.now();
    const { status, text } = reads
      ? await api.get(path)
      : await api.patch(path, 'merge', { data: { text: String(i) } });
    times.push(performance.now() - start);
    stage.must(
      'R.answer',
      status === 200,
      `a request of somebody else was answered with ${status} ${text.slice(0, 200)}`,
    );
    if (stage.violations.length > 50) break;
  }
  api.close();
}

function clientOf({ cluster }: Stage): Api {
  return new Api({ url: cluster.apiServerUrls[0] ?? '', ca: cluster.ca, token: cluster.token });
}
