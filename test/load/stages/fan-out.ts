import { HOT_OBJECTS, watchPath, withTraffic } from '../delivery.js';
import { loadedFanOut, quietFanOut } from '../fan-out-load.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { warmUp } from '../warm-up.js';

/** Deliveries to many watchers of one collection under little and under much load, each on a connection of its own. */
export async function fanOutStage(settings: StageSettings): Promise<Measurement[]> {
  const { run, watchers } = settings;
  const { endpoint } = settings.target;
  const resource = await inNamespace(endpoint, settings.target.resource, `${run}-fan`);
  const target = { ...settings.target, resource };
  const fanOut = { name: `${watchers} watchers`, watchers, bare: true };
  return withTraffic(async (traffic) => {
    await fill(traffic.writer, target, HOT_OBJECTS);
    await traffic.receivers.open({ endpoint, paths: [await watchPath(endpoint, resource)], watchers });
    await warmUp(traffic.writer, target, run);
    const quiet = await quietFanOut({ ...settings, target }, traffic, fanOut);
    return [...quiet, ...(await loadedFanOut({ ...settings, target }, traffic, fanOut))];
  });
}
