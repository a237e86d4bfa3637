import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import { withRequests } from '../requests.js';
import type { RequestResult } from '../requests.worker.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { warmUp } from '../warm-up.js';

const REQUESTERS = [1, 16, 64];

/** Creates and reads of 1 KiB objects by 1, 16 and 64 requesters, updates and deletions by 64 too. */
export async function requestStage({ target, run, seconds }: StageSettings): Promise<Measurement[]> {
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-requests`);
  return withRequests(async (worker) => {
    const results: Measurement[] = [];
    type Load = Pick<RequestLoad, 'verb' | 'prefix' | 'objects' | 'requesters' | 'count'>;
    const measure = async (title: string, load: Load): Promise<number> => {
      const before = target.processes.cpuMicroseconds();
      const result = await worker.call('run', { endpoint, resource, seconds, ...load });
      results.push(...requestMeasurements(title, result, target.processes.cpuMicroseconds() - before));
      return result.done;
    };
    await warmUp(worker, { ...target, resource }, run);
    const created = (requesters: number) => ({ prefix: `${run}-create-${requesters}`, objects: 1 });
    let count = 0;
    for (const requesters of REQUESTERS) {
      count = await measure(`create, ${requesters} requesters`, { verb: 'create', ...created(requesters), requesters });
    }
    const read = { ...created(1), objects: 64 };
    for (const requesters of REQUESTERS) {
      await measure(`update, ${requesters} requesters`, { verb: 'update', ...read, requesters });
    }
    await measure('delete, 64 requesters', { verb: 'delete', ...created(64), requesters: 64, count });
    for (const requesters of REQUESTERS) {
      await measure(`get, ${requesters} requesters`, { verb: 'get', ...read, requesters });
    }
    return results;
  });
}

/** Rate, latency and server CPU of requests that all succeeded. */
export function requestMeasurements(title: string, result: RequestResult, cpu: number): Measurement[] {
  const { failed, failure, done } = result;
  if (failed > 0) throw new Error(`${title}: ${failed} of ${done} requests failed, the first with ${failure}`);
  return [
    { name: title, unit: '1/s', value: result.done / result.seconds },
    { name: `${title}: p50`, unit: 'ms', value: result.p50 },
    { name: `${title}: p99`, unit: 'ms', value: result.p99 },
    { name: `${title}: server CPU`, unit: 'µs each', value: cpu / result.done },
  ];
}
