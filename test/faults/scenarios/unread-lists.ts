import type { IncomingMessage } from 'node:http';
import { Api } from '../../support/api.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type ScenarioSettings, scaled, staged } from './scenario.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
/** Together more than a connection holds of a list that nobody reads. */
const OBJECTS = 60;
const OBJECT_BYTES = 500_000;
const WITHIN_MS = 1_000;
const PAUSE_MS = 100;
const BEGUN_MS = 10_000;

const about = {
  name: 'unread-lists',
  fault: 'lists from the database that nobody reads, as many of one user as the server takes',
  pass: 'continue pages of another user are answered within a second all the while; a list that its client begins to read has everything',
};

const cluster = {
  ...{ apiServers: 1, gateways: 0 },
  tokens: { greedy: 'greedy', other: 'other' },
  serverArgs: ['--list-load-bytes=0'],
};

export const unreadLists = staged(about, cluster, leaveUnread);

export const unreadListsHeld = controlled(
  staged(
    {
      ...about,
      name: 'unread-lists-held',
      fault: 'the same where a list keeps its connection however long its client takes: the negative control',
      pass: 'R.latency says so',
    },
    {
      ...cluster,
      mutations: [
        {
          module: 'libs/reading/dist/yielding.js',
          part: 'const impatient = setTimeout(readAhead, terms.patienceMs);',
          by: 'const impatient = undefined;',
        },
        {
          module: 'libs/reading/dist/list-gate.js',
          part: 'this.#perUser = Math.max(1, perUser);',
          by: 'this.#perUser = inAll;',
        },
      ],
    },
    leaveUnread,
  ),
  'R.latency',
);

async function leaveUnread(stage: Stage, settings: ScenarioSettings): Promise<void> {
  const [url = ''] = stage.cluster.apiServerUrls;
  const { ca } = stage.cluster;
  const [greedy, other] = [new Api({ url, ca, token: 'greedy' }), new Api({ url, ca, token: 'other' })];
  const unread: IncomingMessage[] = [];
  try {
    await fill(stage, url);
    const first = JSON.parse((await other.get(`${CONFIG_MAPS}?limit=1`)).text);
    const asked = Array.from({ length: scaled(settings, 60, 6) }, () => greedy.open('GET', CONFIG_MAPS, {}));
    const heads = Promise.all(asked.map(async (answer) => void unread.push(await answer)));
    // Until each holds what it can, everybody waits for the processor; without places for all some have to wait for those before them.
    await Promise.race([heads.catch(() => undefined), rest(BEGUN_MS, stage.signal)]);
    await page(stage, settings, other, first.metadata.continue);
    const [last] = unread.filter(({ statusCode }) => statusCode === 200);
    stage.must('R.answer', last !== undefined, 'no list has begun');
    if (last) await readWhole(stage, last);
  } finally {
    for (const message of unread) message.destroy();
    greedy.close();
    other.close();
  }
}

async function fill(stage: Stage, url: string): Promise<void> {
  for (let i = 0; i < OBJECTS; i++) {
    const made = { metadata: { name: `c${i}` }, data: { text: `${i}`.padEnd(OBJECT_BYTES, 'x') } };
    const { status } = await stage.api(url).post(CONFIG_MAPS, made);
    if (status !== 201) throw new Error(`a write was answered with ${status}`);
  }
}

/** Another user's pages, for as long as the first lists may last. */
async function page(stage: Stage, settings: ScenarioSettings, other: Api, token: string): Promise<void> {
  const end = performance.now() + scaled(settings, 30_000, 5_000);
  while (performance.now() < end) {
    const start = performance.now();
    const { status } = await other.get(`${CONFIG_MAPS}?limit=1&continue=${token}`);
    const took = performance.now() - start;
    stage.measure('ms for a page of another user', took);
    stage.must('R.answer', status === 200, `a page was answered with ${status}`);
    stage.must('R.latency', took <= WITHIN_MS, `a page took ${took.toFixed(0)} ms`);
    await rest(PAUSE_MS, stage.signal);
  }
}

async function readWhole(stage: Stage, message: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const piece of message) bytes += (piece as Buffer).length;
  stage.must('R.answer', bytes > OBJECTS * OBJECT_BYTES, `a list that was read late has ${bytes} bytes`);
}
