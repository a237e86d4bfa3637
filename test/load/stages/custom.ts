import { defineKind, ruledKind, simpleKind } from '../custom-kinds.js';
import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import { type RequestWorker, withRequests } from '../requests.js';
import { inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import type { Workload } from '../workloads.js';
import { fanOutStage } from './fan-out.js';
import { listStage } from './list.js';
import { requestMeasurements } from './requests.js';

const REQUESTERS = [1, 64];
/** Objects that updates and applies go round; a multiple of the requesters. */
const OBJECTS = 64;
const WARM_SECONDS = 2;
/** Prefix of the names of the objects that are created first and then used in turn. */
const MADE = 'made';
const APPLIED = 'applied';

/** Custom resources of 1 KiB, and of 100 fields with 20 rules: made, replaced and applied; listed, and told to watchers. */
export async function customStage(settings: StageSettings): Promise<Measurement[]> {
  const { endpoint } = settings.target;
  const simple = await defineKind(endpoint, simpleKind());
  const ruled = await defineKind(endpoint, ruledKind());
  const target = { ...settings.target, resource: simple };
  return [
    ...(await withRequests((worker) => writes(settings, worker, 'a custom resource of 1 KiB', simple, 'simple'))),
    ...(await withRequests((worker) => writes(settings, worker, 'one of 100 fields with 20 rules', ruled, 'ruled'))),
    ...named(await listStage({ ...settings, target })),
    ...named(await fanOutStage({ ...settings, target })),
  ];
}

const named = (rows: readonly Measurement[]): Measurement[] =>
  rows.map(({ name, ...rest }) => ({ name: `custom resources: ${name}`, ...rest }));

async function writes(
  { target, run, seconds }: StageSettings,
  worker: RequestWorker,
  what: string,
  kind: Resource,
  workload: Workload,
): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, kind, `${run}-custom`);
  const send = (load: Pick<RequestLoad, 'verb' | 'prefix' | 'requesters'>, duration = seconds) =>
    worker.call('run', { endpoint, resource, workload, objects: OBJECTS, seconds: duration, ...load });
  for (const verb of ['create', 'update', 'apply', 'apply-field', 'apply-same'] as const) {
    const load = { verb, prefix: verb.startsWith('apply') ? APPLIED : MADE, requesters: OBJECTS };
    const { done, failed } = await send(load, WARM_SECONDS);
    if (failed > 0) throw new Error(`${verb}: ${failed} of ${done} requests failed`);
  }
  const results: Measurement[] = [];
  for (const requesters of REQUESTERS) {
    for (const { verb, prefix, title } of writesOf(what)) {
      const before = processes.cpuMicroseconds();
      const result = await send({ verb, prefix: prefix ?? `${verb}-${requesters}`, requesters });
      const cpu = processes.cpuMicroseconds() - before;
      results.push(...requestMeasurements(`${title}, ${requesters} requesters`, result, cpu));
    }
  }
  return results;
}

/** Returns the writes of a kind: new objects have names of their own; other writes use the existing objects in turn. */
const writesOf = (what: string) =>
  [
    { verb: 'create', prefix: undefined, title: `create ${what}` },
    { verb: 'update', prefix: MADE, title: `update ${what}` },
    { verb: 'apply', prefix: undefined, title: `apply ${what}, the first` },
    { verb: 'apply-same', prefix: APPLIED, title: `apply ${what}, nothing new` },
    { verb: 'apply-field', prefix: APPLIED, title: `apply ${what}, one field` },
  ] as const;
