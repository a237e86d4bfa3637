import pg from 'pg';
import { waitUntil } from '../../../tools/up/index.js';
import { strike } from '../adversary/adversary.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged, tortured } from './scenario.js';

/**
 * How soon another one must answer: before any timeout could have helped, of which the load balancer's for connections is
 * the shortest (2 s). The one that was killed is starting again meanwhile, on the same cores.
 */
const AT_ONCE_MS = 1_900;

export const apiServerKills = tortured(
  {
    name: 'api-server-kills',
    fault: 'kill -9 of an api-server in the middle of writes, 50 times at random moments',
    pass: 'V1–V4, V6, V7; another one serves at once; retries are safe (preconditions and outcomes are judged by V1)',
  },
  (settings) => ({
    faults: async (stage) => {
      for (let i = 0; i < scaled(settings, 50, 4) && !stage.signal.aborted; i++) {
        await rest(stage.random.between(100, 1_200), stage.signal);
        await killOne(stage);
      }
    },
  }),
);

async function killOne(stage: Stage): Promise<void> {
  const victim = stage.random.pick(stage.cluster.apiServers);
  const others = stage.cluster.apiServers.filter((server) => server !== victim);
  const urls = others.map((server) => stage.cluster.apiServerUrls[stage.cluster.apiServers.indexOf(server)] ?? '');
  const down = strike(stage, victim, stage.random.between(0, 800));
  for (const url of [stage.cluster.url, ...urls]) {
    const answers = async () => (await stage.api(url).get('/api/v1/namespaces/default')).status === 200;
    await stage.recovers('another api-server serves', AT_ONCE_MS, () => answers().catch(() => false));
  }
  await down;
}

const PATH = '/api/v1/namespaces/default/configmaps';
/** Time after which an event counts as lost. */
const NEVER_MS = 30_000;

/**
 * The answer of the database is held back, so that the api-server cannot know of its commit; once the commit is seen in
 * the table the api-server is killed: exactly between commit and announcement.
 */
export const commitPublish = staged(
  {
    name: 'commit-publish',
    fault: 'kill -9 of an api-server between the commit of a write and its announcement',
    pass: 'the event comes within 2 s, once; the write is there',
  },
  { through: (server, backend) => server === 'api-server-0' && backend === 'postgres' },
  async (stage, settings) => {
    const proxy = stage.links.get('api-server-0', 'postgres');
    const [victim] = stage.cluster.apiServers;
    const [victimUrl] = stage.cluster.apiServerUrls;
    if (victim === undefined || victimUrl === undefined) throw new Error('no api-server');
    for (let i = 0; i < scaled(settings, 20, 2); i++) {
      const name = `commit-${i}`;
      const stream = await stage.api().watch(`${PATH}?watch=1&fieldSelector=metadata.name%3D${name}`);
      // Its connection must be open before the answers are held back, or the write never reaches the database.
      const { status: before } = await stage.api(victimUrl).post(PATH, { metadata: { name: `before-${i}` } });
      stage.must('R.answer', before === 201, `a write was answered with ${before}`);
      proxy.set('toClient', { hold: true });
      const write = stage
        .api(victimUrl)
        .post(PATH, { metadata: { name } })
        .then(({ status }) => status)
        .catch(() => 'broken');
      await waitUntil('the commit is there', 30_000, () => isStored(stage.postgresUrl, name));
      const committed = performance.now();
      await victim.kill('SIGKILL');
      stage.must('R.answer', (await write) === 'broken', `the write was answered with ${await write}`);
      const waiting = new AbortController();
      const event = await Promise.race([stream.next(), rest(NEVER_MS, waiting.signal)]);
      waiting.abort();
      const late = performance.now() - committed;
      stage.measure('ms from commit to event', late);
      stage.must('V2.missing', event?.type === 'ADDED', `no event of ${name} within ${NEVER_MS} ms`);
      stage.must('R.latency', late <= 2_000, `the event of ${name} came ${late.toFixed(0)} ms after the commit`);
      proxy.heal();
      await victim.start();
      const marked = await stage.api().patch(`${PATH}/${name}`, 'merge', { data: { seen: 'once' } });
      stage.must('V3.lost', marked.status === 200, `${name} is not there: ${marked.status}`);
      const next = await stream.next();
      stage.must('V2.order', next?.type === 'MODIFIED', `the event of ${name} came again as ${next?.type}`);
      stream.close();
    }
  },
);

async function isStored(url: string, name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM cluster.change WHERE name = $1', [name]);
    return rowCount === 1;
  } finally {
    await client.end();
  }
}
