import { startBareSender } from '../bare.js';
import type { Measurement } from '../report.js';
import { fill, withRequests } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { median } from '../summary.js';

const OBJECTS = 10_000;
const TIMES = 21;
/** Lists before those that are measured: the first after many creates meets their garbage. */
const WARM_TIMES = 4;

/** Lists of 10,000 objects of 1 KiB, beside the time that the same bytes take over a socket of loopback. */
export async function listStage({ target, run }: StageSettings): Promise<Measurement[]> {
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-list`);
  return withRequests(async (worker) => {
    await fill(worker, { endpoint, resource }, OBJECTS);
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
