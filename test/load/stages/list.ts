import { startBareSender } from '../bare.js';
import type { Measurement } from '../report.js';
import { fill, withRequests } from '../requests.js';
import { inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { median } from '../summary.js';

export const OBJECTS = 10_000;
const TIMES = 21;
/** Lists before those that are measured: the first after many creates meets their garbage. */
const WARM_TIMES = 4;

/** Lists of 10,000 objects of 1 KiB. */
export async function listStage(settings: StageSettings): Promise<Measurement[]> {
  const resource = await filledList(settings);
  return listMeasurements({ ...settings, target: { ...settings.target, resource } });
}

/** @returns a collection of 10,000 objects of 1 KiB */
export async function filledList({ target, run }: StageSettings): Promise<Resource> {
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-list`);
  await withRequests((worker) => fill(worker, { endpoint, resource }, OBJECTS));
  return resource;
}

/** Lists of a collection that was filled so, beside the time that the same bytes take over a socket of loopback. */
export async function listMeasurements({ target }: Pick<StageSettings, 'target'>): Promise<Measurement[]> {
  const { endpoint, resource } = target;
  return withRequests(async (worker) => {
    await worker.call('fetchAll', { endpoint, path: resource.path, times: WARM_TIMES });
    const before = target.processes.cpuMicroseconds();
    const list = await worker.call('fetchAll', { endpoint, path: resource.path, times: TIMES });
    const cpu = target.processes.cpuMicroseconds() - before;
    const sender = await startBareSender(endpoint, list.bytes);
    const copy = await worker
      .call('fetchAll', { endpoint: sender.endpoint, path: '/', times: TIMES })
      .finally(() => sender.worker.stop());
    const milliseconds = median(list.milliseconds);
    const name = `list ${OBJECTS} × 1 KiB`;
    return [
      { name, unit: 'ms', value: milliseconds },
      { name: `${name}: rate`, unit: 'MB/s', value: list.bytes / 1e3 / milliseconds },
      { name: `${name}: server CPU`, unit: 'ms each', value: cpu / 1e3 / TIMES },
      { name: `${name}: time to that of a loopback copy`, unit: '×', value: milliseconds / median(copy.milliseconds) },
    ];
  });
}
