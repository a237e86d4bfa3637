import { insist } from '../rights/insist.js';
import { latencies } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { MAPS, ORDINARY } from './objects.js';

/** Object of another type, whose writes do not wait for those webhooks. */
const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';
/** Tolerance for a median, ms. */
const NOISE_MS = 50;

let serial = 0;

/**
 * Writes an object of the same type about which no webhook is asked so often, at each api-server in turn, and as often one of a type of
 * which nothing is asked: the one must not take much longer than the other.
 */
export async function writeOrdinary(stage: Stage, count: number): Promise<void> {
  const { apiServerUrls } = stage.cluster;
  const ordinary: number[] = [];
  const other: number[] = [];
  for (let i = 0; i < count; i++) {
    const url = apiServerUrls[i % apiServerUrls.length];
    ordinary.push(await written(stage, url, `${MAPS}/${ORDINARY}`));
    other.push(await written(stage, url, ACCOUNT));
  }
  const [{ p50 }, { p50: beside }] = [latencies(ordinary), latencies(other)];
  stage.measure('p50 of ordinary writes', p50);
  stage.measure('p50 of writes of another type', beside);
  const message = `p50 of ordinary writes is ${p50} ms, that of another type ${beside} ms`;
  stage.must('R.latency', p50 <= 3 * beside + NOISE_MS, message);
}

/** Writes once and returns the duration, ms. */
async function written(stage: Stage, url: string | undefined, path: string): Promise<number> {
  const body = { metadata: { annotations: { n: String(serial++) } } };
  const began = performance.now();
  const { status, text } = await insist(() => stage.api(url).patch(path, 'merge', body));
  stage.must('R.answer', status === 200, `an ordinary write was answered with ${status} ${text}`);
  return performance.now() - began;
}
