import { HOT_OBJECTS, watchPath, withTraffic } from '../delivery.js';
import { loadedFanOut, quietFanOut } from '../fan-out-load.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { warmUp } from '../warm-up.js';
import { speaksHttp2 } from '../watch-connections.js';

const STREAMS_PER_CONNECTION = 100;

/** The fan-out with 100 watches on each connection of HTTP/2; not available where the server does not speak it. */
export async function http2Stage(settings: StageSettings): Promise<Measurement[]> {
  const { run, watchers } = settings;
  const { endpoint } = settings.target;
  const name = `${watchers} watchers over HTTP/2`;
  if (!(await speaksHttp2(endpoint))) return [{ name: `${name}: spoken`, unit: '', value: Number.NaN }];
  const resource = await inNamespace(endpoint, settings.target.resource, `${run}-http2`);
  const target = { ...settings.target, resource };
  const fanOut = { name, watchers, bare: false };
  return withTraffic(async (traffic) => {
    await fill(traffic.writer, target, HOT_OBJECTS);
    const paths = [await watchPath(endpoint, resource)];
    await traffic.receivers.open({
      endpoint,
      paths,
      watchers,
      streamsPerConnection: STREAMS_PER_CONNECTION,
      atOnce: 5,
    });
    await warmUp(traffic.writer, target, run);
    const quiet = await quietFanOut({ ...settings, target }, traffic, fanOut);
    const loaded = await loadedFanOut({ ...settings, target }, traffic, fanOut);
    return [{ name: `${name}: spoken`, unit: '', value: 1 }, ...quiet, ...loaded];
  });
}
