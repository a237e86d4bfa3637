import type { Measurement } from '../report.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import type { FetchLoad } from '../requests.worker.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { latencyOf } from '../summary.js';

const OBJECTS = 2_000;
const CONCURRENT = 200;
const HERD = 1_000;
/** In full: lists that are larger than what a server may keep of each. */
const LARGE_OBJECTS = 400;
const LARGE_BYTES = 1_000_000;
const LARGE_CONCURRENT = 16;

/** Many lists at a time: how long they take, and how much memory the server needs for them at most. */
export async function listsStage(settings: StageSettings): Promise<Measurement[]> {
  const { target, run, full, scale } = settings;
  const concurrent = Math.ceil(CONCURRENT * scale);
  const herd = Math.ceil(HERD * scale);
  const { endpoint } = target;
  return withRequests(async (worker) => {
    const resource = await inNamespace(endpoint, target.resource, `${run}-lists`);
    await fill(worker, { endpoint, resource }, OBJECTS);
    const { path } = resource;
    const list = (name: string, load: Omit<FetchLoad, 'endpoint'>) => fetched(settings, worker, name, load);
    const rows = [
      ...(await list(`list ${OBJECTS} × 1 KiB`, { path, times: 7 })),
      ...(await list(`list ${OBJECTS} × 1 KiB, gzip`, { path, times: 7, headers: { 'Accept-Encoding': 'gzip' } })),
      ...(await list(`${concurrent} lists of ${OBJECTS} × 1 KiB`, { path, times: 1, requesters: concurrent })),
      ...(await list(`herd of ${herd} lists of ${OBJECTS} × 1 KiB`, { path, times: 1, requesters: herd })),
    ];
    if (!full) return rows;
    const large = await inNamespace(endpoint, target.resource, `${run}-large`);
    await fill(worker, { endpoint, resource: large }, LARGE_OBJECTS, { filling: LARGE_BYTES });
    const name = `${LARGE_CONCURRENT} lists of ${LARGE_OBJECTS} × 1 MB`;
    return [...rows, ...(await list(name, { path: large.path, times: 1, requesters: LARGE_CONCURRENT }))];
  });
}

async function fetched(
  { target }: StageSettings,
  worker: RequestWorker,
  name: string,
  load: Omit<FetchLoad, 'endpoint'>,
): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const cpu = processes.cpuMicroseconds();
  const before = processes.residentBytes();
  const { result, peak } = await processes.peakDuring(() => worker.call('fetchAll', { endpoint, ...load }));
  const { milliseconds, failed, bytes, seconds } = result;
  const { p50, p99 } = latencyOf(milliseconds);
  return [
    { name: `${name}: all done`, unit: 's', value: seconds },
    ...(failed > 0 ? [{ name: `${name}: cut off or refused`, unit: '', value: failed }] : []),
    { name: `${name}: p50`, unit: 'ms', value: p50 },
    { name: `${name}: p99`, unit: 'ms', value: p99 },
    { name: `${name}: bytes of one`, unit: 'MB', value: bytes / 1e6 },
    {
      name: `${name}: server CPU`,
      unit: 'ms each',
      value: (processes.cpuMicroseconds() - cpu) / 1e3 / milliseconds.length,
    },
    { name: `${name}: RSS before`, unit: 'MB', value: before / 1e6 },
    { name: `${name}: peak RSS`, unit: 'MB', value: peak / 1e6 },
  ];
}
