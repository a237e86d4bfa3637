import { rest } from '../traffic/context.js';
import type { Stage } from './stage.js';

/** A kind whose history the validators do not judge by the writers' records. */
const PATH = '/api/v1/namespaces/default/secrets';
/** Longest that a refusal may take, ms: a client must not hang. */
const REFUSED_MS = 12_000;

/**
 * What clients are told while the database does not answer: 503 or 504 with Retry-After, never a hang, and no more
 * requests pile up than are asked.
 */
export async function expectRefusals(stage: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const answer = await stage.api().post(PATH, { metadata: { generateName: 'refused-' } });
    const took = performance.now() - start;
    stage.measure('ms until a write is refused', took);
    const { status, headers } = answer;
    stage.must('R.answer', status === 503 || status === 504, `a write was answered with ${status}: ${answer.text}`);
    stage.must('R.answer', Number(headers['retry-after']) > 0, `${status} without Retry-After`);
    stage.must('R.latency', took <= REFUSED_MS, `a write was refused only after ${took.toFixed(0)} ms`);
    await rest(200, stage.signal);
  }
}

/** Writes succeed again within 10 s, at the load balancer and at every api-server. */
export async function expectWrites(stage: Stage, within = 10_000): Promise<void> {
  const writes = async (url: string) => {
    const answer = await stage.api(url).post(PATH, { metadata: { generateName: 'resumed-' } });
    return answer.status === 201;
  };
  for (const url of [stage.cluster.url, ...stage.cluster.apiServerUrls]) {
    await stage.recovers('writes go on', within, () => writes(url).catch(() => false));
  }
}
