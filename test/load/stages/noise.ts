import { Api } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import type { Endpoint } from '../connection.js';
import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { benchResource, inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import type { Latency } from '../summary.js';
import { addressOf } from '../target.js';
import { warmUp } from '../warm-up.js';

type NoiseSettings = Omit<StageSettings, 'target'>;

const POLITE = Array.from({ length: 50 }, (_, i) => `polite-${i}`);
const NOISY = 'noisy';
/** Requests a second of all polite users together. */
const POLITE_RATE = 100;
/** Requests that the noisy one has under way at all times. */
const NOISE = 64;
const OBJECTS = 1_000;
/** Calm and noise take turns, as the machine may have more to do at times. */
const ROUNDS = 4;

/** What the noisy one does, over and over. */
const NOISES = ['get', 'create', 'list'] as const;
type Noise = (typeof NOISES)[number];

interface Place {
  readonly endpoint: Endpoint;
  readonly resource: Resource;
  readonly run: string;
  readonly seconds: number;
}

/** With requests that begin as they come for comparison. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = { orch: [], 'as they come': ['--request-slice=0'] };

/** How long fifty users wait for their answers, each with little to ask, beside one who asks for as much as can be had. */
export async function noiseColumns(settings: NoiseSettings): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const columns = new Map<string, readonly Measurement[]>();
  for (const [name, args] of Object.entries(COLUMNS)) columns.set(name, await noiseColumn(settings, args));
  return columns;
}

async function noiseColumn({ run, seconds }: NoiseSettings, args: readonly string[]): Promise<Measurement[]> {
  const server = await startStandalone({ strangers: [...POLITE, NOISY], args: [...args] });
  try {
    await letThemIn(server);
    const endpoint = { ...addressOf(server.url), tls: { ca: server.ca }, token: server.token };
    const resource = await inNamespace(endpoint, await benchResource(endpoint), 'bench-noise');
    const place = { endpoint, resource, run, seconds };
    return await withRequests((polite) => withRequests((noisy) => measure(polite, noisy, place)));
  } finally {
    await server.stop();
  }
}

async function measure(polite: RequestWorker, noisy: RequestWorker, place: Place): Promise<Measurement[]> {
  await warmUp(polite, place, place.run);
  await fill(polite, place, OBJECTS);
  const found: Measurement[] = [];
  for (const noise of NOISES) {
    const alone: Latency[] = [];
    const beside: Latency[] = [];
    let noisyRate = 0;
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await politeRequests(polite, place));
      const making = makeNoise(noisy, place, noise, round);
      beside.push(await politeRequests(polite, place));
      noisyRate += (await making) / ROUNDS;
    }
    for (const part of ['p50', 'p99'] as const) {
      const [calm, loud] = [alone, beside].map((all) => median(all.map((latency) => latency[part])));
      const name = `polite ${part} beside ${NOISE} × ${noise}`;
      found.push(
        { name: `${name}: without`, unit: 'ms', value: calm ?? Number.NaN },
        { name, unit: 'ms', value: loud ?? Number.NaN },
      );
    }
    found.push({ name: `${noise} of the noisy one`, unit: '1/s', value: noisyRate });
  }
  return found;
}

async function politeRequests(worker: RequestWorker, { endpoint, resource, seconds }: Place): Promise<Latency> {
  const load: RequestLoad = {
    endpoint,
    tokens: POLITE,
    resource,
    verb: 'get',
    prefix: 'o',
    objects: OBJECTS,
    requesters: POLITE.length,
    seconds,
    rate: POLITE_RATE,
  };
  const result = await worker.call('run', load);
  if (result.failed > 0) throw new Error(`${result.failed} requests of polite users failed`);
  return result;
}

/** @returns requests a second */
async function makeNoise(worker: RequestWorker, place: Place, noise: Noise, round: number): Promise<number> {
  const endpoint = { ...place.endpoint, token: NOISY };
  const { resource, run, seconds } = place;
  const load = { endpoint, resource, requesters: NOISE, seconds: seconds + 1 };
  const result = await (noise === 'list'
    ? worker.call('fetchAll', {
        endpoint,
        path: `${resource.path}?resourceVersion=0&limit=200`,
        times: 20 * seconds,
        requesters: NOISE,
      })
    : worker.call('run', {
        ...load,
        verb: noise,
        prefix: noise === 'get' ? 'o' : `${run}-${round}`,
        objects: OBJECTS,
      }));
  const done = 'done' in result ? result.done : result.milliseconds.length;
  return done / result.seconds;
}

async function letThemIn({ url, ca, token }: Standalone): Promise<void> {
  const api = new Api({ url, ca, token });
  const apiGroup = 'rbac.authorization.k8s.io';
  const { status, text } = await api.post(`/apis/${apiGroup}/v1/clusterrolebindings`, {
    metadata: { name: 'bench-noise' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [...POLITE, NOISY].map((name) => ({ apiGroup, kind: 'User', name })),
  });
  api.close();
  if (status !== 201) throw new Error(`rights of users: ${status} ${text}`);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
