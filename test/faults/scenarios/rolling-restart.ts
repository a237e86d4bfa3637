import { BY_ONE_THAT_GOES } from '../run-counts.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { type Scenario, scaled, tortured } from './scenario.js';

/**
 * Wait of an orchestrator between two restarts: a load balancer takes a second or two to notice that a server is back.
 */
const READY_MS = 2_500;

const about = {
  name: 'rolling-restart',
  fault: 'every server is restarted in an orderly way, one after another, at 500 writes a second and 1,000 watches',
  pass: 'no write fails but those that were never accepted; no watch is refused (429 by a server on its way out is none), nobody begins anew, every stream ends in order',
};

const traffic = tortured(about, (settings) => ({
  watchers: scaled(settings, 1_000, 60),
  writers: scaled(settings, 24, 6),
  faults: async (stage) => {
    await rest(1_000, stage.signal);
    const writes = steadyWrites(stage);
    const { apiServers, gateways, nats } = stage.cluster;
    for (const server of [...apiServers, ...gateways, nats]) {
      await server.restart();
      await rest(READY_MS, stage.signal);
    }
    await writes();
  },
}));

/** The validators allow a write to have an unknown outcome, and a watcher to begin anew: here neither may happen. */
export const rollingRestart: Scenario = {
  ...about,
  async run(settings) {
    const result = await traffic.run(settings);
    const { counts = {} } = result;
    const refusals = Object.keys(counts).filter(
      (name) => name.startsWith('watches answered with') && !name.endsWith(BY_ONE_THAT_GOES),
    );
    return {
      ...result,
      violations: [
        ...result.violations,
        ...refusals.map((name) => ({ rule: 'R.answer' as const, message: `${name}: ${counts[name]}` })),
      ],
    };
  },
};

const PATH = '/api/v1/namespaces/default/secrets';

/**
 * Writes through the load balancer. None may fail but those that a server on its way out never accepted: the load balancer
 * had taken a kept connection for open that was just being closed, cannot know, and says 503. They must not be there.
 */
function steadyWrites(stage: Stage): () => Promise<void> {
  let over = false;
  let written = 0;
  const refused: string[] = [];
  const write = async (writer: number) => {
    for (let i = 0; !over && !stage.signal.aborted; i++) {
      const name = `steady-${writer}-${i}`;
      const answer = await stage.api().post(PATH, { metadata: { name } }).catch(String);
      if (typeof answer === 'string') stage.report('R.answer', `a write failed: ${answer}`);
      else if (answer.status === 503) refused.push(name);
      else stage.must('R.answer', answer.status === 201, `a write was answered with ${answer.status} ${answer.text}`);
      written++;
      await rest(10, stage.signal);
    }
  };
  const writers = Promise.all(Array.from({ length: 4 }, (_, writer) => write(writer)));
  return async () => {
    over = true;
    await writers;
    for (const name of refused) {
      const { status } = await stage.api().get(`${PATH}/${name}`);
      stage.must('R.answer', status === 404, `${name} was refused with 503 and is there`);
    }
    const most = Math.max(8, written / 100);
    stage.must('R.answer', refused.length <= most, `${refused.length} of ${written} writes were refused with 503`);
    stage.measure('steady writes', written);
    stage.measure('steady writes never accepted', refused.length);
  };
}
