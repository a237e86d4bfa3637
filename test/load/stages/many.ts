import { HOT_OBJECTS, type Traffic, watchPath, withTraffic } from '../delivery.js';
import { loadedFanOut, quietFanOut } from '../fan-out-load.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { warmUp } from '../warm-up.js';
import { settledMemory } from './idle.js';

const STEP = 5_000;
const STEPS = 2;
const STEPS_IN_FULL = 3;
/** Descriptors that a server needs beside those of watchers. */
const OTHER_DESCRIPTORS = 200;

/**
 * 5,000, 10,000 and in full 15,000 watchers of one collection: the memory of the last 5,000, and deliveries to all. What
 * more descriptors are needed for than the server may open is not available.
 */
export async function manyStage(settings: StageSettings): Promise<Measurement[]> {
  const { run, full, scale } = settings;
  const { endpoint } = settings.target;
  const resource = await inNamespace(endpoint, settings.target.resource, `${run}-many`);
  const target = { ...settings.target, resource };
  return withTraffic(async (traffic) => {
    await fill(traffic.writer, target, HOT_OBJECTS);
    const rows: Measurement[] = [];
    for (let step = 1; step <= (full ? STEPS_IN_FULL : STEPS); step++) {
      rows.push(...(await withWatchers({ ...settings, target }, traffic, step, Math.round(STEP * scale))));
    }
    return rows;
  });
}

/** Opens as many watchers as in the steps before. */
async function withWatchers(
  settings: StageSettings,
  traffic: Traffic,
  step: number,
  added: number,
): Promise<Measurement[]> {
  const watchers = step * added;
  const { target } = settings;
  const { endpoint, resource } = target;
  const name = `${watchers} watchers`;
  const memory = (value: number) => ({ name: `${name}, idle: RSS of each of the last ${added}`, unit: 'KiB', value });
  if (target.processes.descriptorLimit() < watchers + OTHER_DESCRIPTORS) return [memory(Number.NaN)];
  const before = await settledMemory(target);
  const paths = [await watchPath(endpoint, resource)];
  await traffic.receivers.open({ endpoint, paths, watchers: added });
  const grown = (await settledMemory(target)) - before;
  const fanOut = { name, watchers, bare: true };
  await warmUp(traffic.writer, target, settings.run);
  const quiet = await quietFanOut(settings, traffic, fanOut);
  return [memory(grown / added / 1024), ...quiet, ...(await loadedFanOut(settings, traffic, fanOut))];
}
