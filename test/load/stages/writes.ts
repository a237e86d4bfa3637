import { setTimeout as pause } from 'node:timers/promises';
import { Connection, requestBytes } from '../connection.js';
import type { Measurement } from '../report.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { coreResource, inNamespace, namespaceOf } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { now } from '../summary.js';
import { requestMeasurements } from './requests.js';

const HOT_WRITERS = 100;
const COLLECTION = 10_000;
const NAMESPACE = 5_000;
const NAMESPACE_IN_FULL = 50_000;
const NAMESPACE_LIMIT_MS = 900_000;
/** Objects, writers and writes per second of those whose latency must not suffer from events. */
const OTHERS = { objects: 64, requesters: 4, rate: 100 } as const;
const EVENT_WRITERS = 16;

/** Writes that meet: on one object, on whole collections, and of different types. */
export async function writesStage(settings: StageSettings): Promise<Measurement[]> {
  return withRequests(async (worker) => [
    ...(await hotObject(settings, worker)),
    ...(await besideEvents(settings, worker)),
    ...(await deletedCollection(settings, worker)),
    ...(await deletedNamespace(settings, worker)),
  ]);
}

async function hotObject({ target, run, seconds }: StageSettings, worker: RequestWorker): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-hot`);
  await fill(worker, { endpoint, resource }, 1);
  const before = processes.cpuMicroseconds();
  const contended = await worker.call('contend', { endpoint, resource, name: 'o-0', writers: HOT_WRITERS, seconds });
  const between = processes.cpuMicroseconds();
  const patch = { verb: 'patch', prefix: 'o', objects: 1, requesters: HOT_WRITERS } as const;
  const patched = await worker.call('run', { endpoint, resource, seconds, ...patch });
  const { succeeded, conflicts, p50, p99 } = contended;
  const name = `hot object, ${HOT_WRITERS} writers of PUT`;
  return [
    { name, unit: '1/s', value: succeeded / contended.seconds },
    { name: `${name}: conflicts for each success`, unit: '', value: conflicts / succeeded },
    { name: `${name}: p50 to success`, unit: 'ms', value: p50 },
    { name: `${name}: p99 to success`, unit: 'ms', value: p99 },
    { name: `${name}: server CPU`, unit: 'µs a success', value: (between - before) / succeeded },
    ...requestMeasurements(
      `hot object, ${HOT_WRITERS} writers of PATCH`,
      patched,
      processes.cpuMicroseconds() - between,
    ),
  ];
}

/** A steady load of updates, alone and beside creations of events as fast as they go. */
async function besideEvents({ target, run, seconds }: StageSettings, worker: RequestWorker): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-others`);
  const inEvents = await inNamespace(endpoint, target.resource, `${run}-events`);
  const events = (await coreResource(endpoint, inEvents, 'Event')) ?? inEvents;
  await fill(worker, { endpoint, resource }, OTHERS.objects);
  const updates = () => worker.call('run', { endpoint, resource, verb: 'update', prefix: 'o', seconds, ...OTHERS });
  const before = processes.cpuMicroseconds();
  const alone = await updates();
  const aloneCpu = processes.cpuMicroseconds() - before;
  return withRequests(async (second) => {
    const load = { verb: 'create', prefix: 'e', objects: 1, requesters: EVENT_WRITERS } as const;
    const [created, beside] = await Promise.all([
      second.call('run', { endpoint, resource: events, seconds, ...load }),
      updates(),
    ]);
    const name = `updates at ${OTHERS.rate}/s`;
    return [
      ...requestMeasurements(`${name}, alone`, alone, aloneCpu).slice(1),
      { name: `${name}, beside ${EVENT_WRITERS} writers of events: p50`, unit: 'ms', value: beside.p50 },
      { name: `${name}, beside ${EVENT_WRITERS} writers of events: p99`, unit: 'ms', value: beside.p99 },
      { name: 'events beside updates', unit: '1/s', value: created.done / created.seconds },
    ];
  });
}

async function deletedCollection({ target, run, scale }: StageSettings, worker: RequestWorker): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-collection`);
  const objects = Math.ceil(COLLECTION * scale);
  await fill(worker, { endpoint, resource }, objects);
  const cpu = processes.cpuMicroseconds();
  const { path } = resource;
  const { seconds } = await worker.call('fetchAll', { endpoint, path, method: 'DELETE', times: 1 });
  return deletions(`deletecollection of ${objects}`, objects, seconds, processes.cpuMicroseconds() - cpu);
}

async function deletedNamespace(
  { target, run, full, scale }: StageSettings,
  worker: RequestWorker,
): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-namespace`);
  const objects = Math.ceil((full ? NAMESPACE_IN_FULL : NAMESPACE) * scale);
  const name = `namespace of ${objects} deleted`;
  const connection = await Connection.open(endpoint);
  const status = async (method: 'GET' | 'DELETE') =>
    (await connection.request(requestBytes(endpoint, method, `/api/v1/namespaces/${namespaceOf(resource)}`))).status;
  try {
    if ((await status('GET')) !== 200) return deletions(name, objects, Number.NaN, Number.NaN);
    await fill(worker, { endpoint, resource }, objects);
    const cpu = processes.cpuMicroseconds();
    const start = now();
    await status('DELETE');
    while ((await status('GET')) !== 404) {
      if (now() - start > NAMESPACE_LIMIT_MS) throw new Error(`${name}: still there`);
      await pause(50);
    }
    return deletions(name, objects, (now() - start) / 1000, processes.cpuMicroseconds() - cpu);
  } finally {
    connection.close();
  }
}

function deletions(name: string, count: number, seconds: number, cpu: number): Measurement[] {
  return [
    { name, unit: 's', value: seconds },
    { name: `${name}: server CPU`, unit: 'µs an object', value: cpu / count },
  ];
}
