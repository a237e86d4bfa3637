import { setTimeout as pause } from 'node:timers/promises';
import { watchPath } from '../delivery.js';
import { Receivers } from '../receivers.js';
import type { Measurement } from '../report.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import type { Target } from '../target.js';

const SETTLING_MS = 3_000;

/** Resident memory some time after a change: collecting garbage is a matter of time on many servers. */
export async function settledMemory({ processes }: Pick<Target, 'processes'>): Promise<number> {
  await pause(SETTLING_MS);
  return processes.residentBytes();
}

/**
 * Resident memory that idle watchers add. As many are opened before, so that what a server grows by once is not
 * counted.
 */
export async function idleStage({ target, run, watchers }: StageSettings): Promise<Measurement[]> {
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-idle`);
  const receivers = new Receivers();
  try {
    const paths = [await watchPath(endpoint, resource)];
    await receivers.open({ endpoint, paths, watchers });
    const before = await settledMemory(target);
    await receivers.open({ endpoint, paths, watchers });
    const added = (await settledMemory(target)) - before;
    return [{ name: `${watchers} watchers, idle: RSS of each`, unit: 'KiB', value: added / watchers / 1024 }];
  } finally {
    receivers.stop();
  }
}
