import { setTimeout as pause } from 'node:timers/promises';
import { Connection, type Endpoint, requestBytes } from '../connection.js';
import type { WebhookMethods, WebhookReading } from '../conversion-webhook.worker.js';
import { convertedKind, defineKind, inVersion } from '../custom-kinds.js';
import { HOT_OBJECTS, watchPath, withTraffic } from '../delivery.js';
import { loadedFanOut, quietFanOut } from '../fan-out-load.js';
import type { Measurement } from '../report.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { warmUp } from '../warm-up.js';
import { Worker } from '../worker.js';
import { filledList, OBJECTS as LISTED, listMeasurements } from './list.js';
import { requestMeasurements } from './requests.js';

const REQUESTERS = [1, 64];
const OBJECTS = 64;
/** Few, as a server may ask the webhook for each of them. */
const WATCHERS = 20;

type Webhook = Worker<WebhookMethods>;

/**
 * Objects of 1 KiB that lie in one version and are read, written, listed and watched in another, which a webhook in a process of its
 * own makes of them. Its CPU is not the server's.
 */
export async function conversionStage(settings: StageSettings): Promise<Measurement[]> {
  const webhook: Webhook = new Worker(new URL('../conversion-webhook.worker.ts', import.meta.url));
  try {
    const { endpoint } = settings.target;
    const kind = convertedKind(settings.run, await webhook.call('listen', undefined as never));
    const target = { ...settings.target, resource: await defineKind(endpoint, kind) };
    const converted = { ...settings, target };
    return [
      ...(await withRequests((worker) => requests(converted, worker))),
      ...(await list(converted, webhook)),
      ...(await watch(converted, webhook)),
    ];
  } finally {
    webhook.stop();
  }
}

async function requests({ target, run, seconds }: StageSettings, worker: RequestWorker): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-conversion`);
  await warmUp(worker, { endpoint, resource }, run);
  await fill(worker, { endpoint, resource }, OBJECTS);
  const results: Measurement[] = [];
  for (const requesters of REQUESTERS) {
    for (const verb of ['create', 'update', 'get'] as const) {
      const load = { verb, prefix: verb === 'create' ? `c-${requesters}` : 'o', objects: OBJECTS, requesters };
      const before = processes.cpuMicroseconds();
      const result = await worker.call('run', { endpoint, resource, seconds, ...load });
      const cpu = processes.cpuMicroseconds() - before;
      results.push(...requestMeasurements(`${verb} in a converted version, ${requesters} requesters`, result, cpu));
    }
  }
  return results;
}

async function list(settings: StageSettings, webhook: Webhook): Promise<Measurement[]> {
  const { target } = settings;
  const written = { ...target, resource: inVersion(target.resource, 'v1') };
  const resource = inVersion(await filledList({ ...settings, target: written }), 'v2');
  await webhook.call('read', undefined as never);
  const rows = await listMeasurements({ target: { ...target, resource } });
  const asked = await webhook.call('read', undefined as never);
  const milliseconds = rows.find(({ unit }) => unit === 'ms')?.value ?? Number.NaN;
  return [
    ...rows.map(({ name, ...rest }) => ({ name: `converted: ${name}`, ...rest })),
    { name: 'converted list: objects', unit: '1/s', value: (LISTED / milliseconds) * 1000 },
    { name: 'converted list: objects of a call', unit: '', value: perCall(asked) },
  ];
}

/** Writes in the version that is stored, and watchers of the other. */
async function watch(settings: StageSettings, webhook: Webhook): Promise<Measurement[]> {
  const { endpoint, resource } = settings.target;
  const watched = await inNamespace(endpoint, resource, `${settings.run}-watched`);
  const written: Resource = inVersion(watched, 'v1');
  const target = { ...settings.target, resource: written };
  const fanOut = { name: `${WATCHERS} watchers of a converted version`, watchers: WATCHERS, bare: false };
  return withTraffic(async (traffic) => {
    await fill(traffic.writer, target, HOT_OBJECTS);
    const path = await watchPath(endpoint, watched);
    await untilWatched(endpoint, path);
    await traffic.receivers.open({ endpoint, paths: [path], watchers: WATCHERS });
    await webhook.call('read', undefined as never);
    const quiet = await quietFanOut({ ...settings, target }, traffic, fanOut);
    const { objects } = await webhook.call('read', undefined as never);
    const events = Math.round(settings.rate * settings.seconds);
    const loaded = await loadedFanOut({ ...settings, target }, traffic, fanOut);
    return [
      ...quiet,
      { name: `${fanOut.name}: objects converted for a write`, unit: '', value: objects / events },
      ...loaded,
    ];
  });
}

/** A server may read the collection first, and have watchers come again. */
async function untilWatched(endpoint: Endpoint, path: string): Promise<void> {
  const connection = await Connection.open(endpoint);
  const request = requestBytes(endpoint, 'GET', `${path}&timeoutSeconds=1`);
  while ((await connection.request(request)).status === 429) await pause(100);
  connection.close();
}

const perCall = ({ calls, objects }: WebhookReading): number => objects / calls;
