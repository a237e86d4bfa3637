import { startBareSender } from './bare.js';
import type { Measurement } from './report.js';
import type { RequestLoad, RequestMethods, RequestResult } from './requests.worker.js';
import { inNamespace } from './resource.js';
import { median } from './summary.js';
import type { Target } from './target.js';
import { Worker } from './worker.js';

const REQUESTERS = [1, 16, 64];
const LIST_OBJECTS = 10_000;
const LIST_TIMES = 7;

export const requestWorker = () => new Worker<RequestMethods>(new URL('./requests.worker.ts', import.meta.url));

/** What a stage runs with; `run` names its objects, so that no two runs meet. */
export interface StageSettings {
  readonly target: Target;
  readonly run: string;
  readonly seconds: number;
}

/** Creates and reads of 1 KiB objects by 1, 16 and 64 requesters. */
export async function requestStages({ target, run, seconds }: StageSettings): Promise<Measurement[]> {
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-requests`);
  const worker = requestWorker();
  const results: Measurement[] = [];
  const measure = async (title: string, load: Pick<RequestLoad, 'verb' | 'prefix' | 'objects' | 'requesters'>) => {
    const before = target.processes.cpuMicroseconds();
    const result = await worker.call('run', { endpoint, resource, seconds, ...load });
    const cpu = target.processes.cpuMicroseconds() - before;
    results.push(...requestMeasurements(title, result, cpu));
  };
  try {
    await warmUp(worker, { ...target, resource }, run);
    for (const requesters of REQUESTERS) {
      const prefix = `${run}-create-${requesters}`;
      await measure(`create, ${requesters} requesters`, { verb: 'create', prefix, objects: 1, requesters });
    }
    const read = { prefix: `${run}-create-1`, objects: 64 };
    await measure('update, 16 requesters', { verb: 'update', ...read, requesters: 16 });
    for (const requesters of REQUESTERS) {
      await measure(`get, ${requesters} requesters`, { verb: 'get', ...read, requesters });
    }
  } finally {
    worker.stop();
  }
  return results;
}

function requestMeasurements(title: string, result: RequestResult, cpu: number): Measurement[] {
  if (result.failed > 0) throw new Error(`${title}: ${result.failed} of ${result.done} requests failed`);
  return [
    { name: title, unit: '1/s', value: result.done / result.seconds },
    { name: `${title}: p50`, unit: 'ms', value: result.p50 },
    { name: `${title}: p99`, unit: 'ms', value: result.p99 },
    { name: `${title}: server CPU`, unit: 'µs each', value: cpu / result.done },
  ];
}

/** Lets a server compile what it is about to run; the first thousands of requests say little about the rest. */
async function warmUp(worker: Worker<RequestMethods>, { endpoint, resource }: Target, run: string): Promise<void> {
  const load = { endpoint, resource, prefix: `${run}-warm`, requesters: 16 };
  await worker.call('run', { ...load, verb: 'create', objects: 1, seconds: 3 });
  await worker.call('run', { ...load, verb: 'update', objects: 16, seconds: 1 });
  await worker.call('run', { ...load, verb: 'get', objects: 16, seconds: 1 });
}

/** Lists of 10,000 objects of 1 KiB, beside the time that the same bytes take over a socket of loopback. */
export async function listStage({ target, run }: StageSettings): Promise<Measurement[]> {
  const { endpoint, resource } = target;
  const worker = requestWorker();
  try {
    const listed = await inNamespace(endpoint, resource, `${run}-list`);
    await fill(worker, { ...target, resource: listed }, LIST_OBJECTS);
    const before = target.processes.cpuMicroseconds();
    const list = await worker.call('fetchAll', { endpoint, path: listed.path, times: LIST_TIMES });
    const cpu = target.processes.cpuMicroseconds() - before;
    const sender = await startBareSender(endpoint, list.bytes);
    const copy = await worker
      .call('fetchAll', { endpoint: sender.endpoint, path: '/', times: LIST_TIMES })
      .finally(() => sender.worker.stop());
    const milliseconds = median(list.milliseconds);
    const name = `list ${LIST_OBJECTS} × 1 KiB`;
    return [
      { name, unit: 'ms', value: milliseconds },
      { name: `${name}: rate`, unit: 'MB/s', value: list.bytes / 1e3 / milliseconds },
      { name: `${name}: server CPU`, unit: 'ms each', value: cpu / 1e3 / LIST_TIMES },
      { name: `${name}: time to that of a loopback copy`, unit: '×', value: milliseconds / median(copy.milliseconds) },
    ];
  } finally {
    worker.stop();
  }
}

/** Creates `count` objects. */
export async function fill(worker: Worker<RequestMethods>, target: Target, count: number): Promise<void> {
  const { endpoint, resource } = target;
  const load: RequestLoad = {
    endpoint,
    resource,
    verb: 'create',
    prefix: 'o',
    objects: 1,
    requesters: 32,
    seconds: 120,
    count,
  };
  const { done, failed } = await worker.call('run', load);
  if (done < count || failed > 0) throw new Error(`made ${done} of ${count} objects, ${failed} requests failed`);
}
