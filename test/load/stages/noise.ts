import { startStandalone } from '../../support/standalone.js';
import type { Endpoint } from '../connection.js';
import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { benchResource, inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { type Latency, median } from '../summary.js';
import { addressOf } from '../target.js';
import { warmUp } from '../warm-up.js';
import { LATER, letThemIn, NOISE, NOISY, NOISY_FROM, POLITE, ROUNDS } from './polite.js';

type NoiseSettings = Omit<StageSettings, 'target'>;

/** Requests a second of all polite users together. */
const POLITE_RATE = 100;
const OBJECTS = 1_000;

/** Requests that the noisy user repeats. */
const NOISES = ['get', 'create', 'list'] as const;
type Noise = (typeof NOISES)[number];

interface Place {
  readonly endpoint: Endpoint;
  readonly resource: Resource;
  readonly run: string;
  readonly seconds: number;
}

/** Beside it, for comparison: connections that are read from as they come, and requests that begin as they come as well. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  orch: [],
  'as they come': ['--request-slice=0'],
};

/**
 * How long fifty users wait for their answers, each with little to ask, beside one who asks for as much as can be had. All of them share
 * the cores of the machine with the server, so that polite users would wait longer even where the noisy one asked somebody else: what
 * that comes to is measured as well, with the same noise at another server. The server is to blame for what is beyond it.
 */
export async function noiseColumns(settings: NoiseSettings): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const columns = new Map<string, readonly Measurement[]>();
  for (const [name, args] of Object.entries(COLUMNS)) columns.set(name, await noiseColumn(settings, args));
  return columns;
}

async function noiseColumn({ run, seconds }: NoiseSettings, args: readonly string[]): Promise<Measurement[]> {
  return withPlace(args, { run, seconds }, (place) =>
    withPlace(args, { run, seconds }, (elsewhere) =>
      withRequests((polite) => withRequests((noisy) => measure(polite, noisy, place, elsewhere))),
    ),
  );
}

async function withPlace<T>(
  args: readonly string[],
  time: Pick<Place, 'run' | 'seconds'>,
  run: (place: Place) => Promise<T>,
): Promise<T> {
  const server = await startStandalone({ strangers: [...POLITE, NOISY], args: [...args] });
  try {
    await letThemIn(server);
    const endpoint = { ...addressOf(server.url), tls: { ca: server.ca }, token: server.token };
    const resource = await inNamespace(endpoint, await benchResource(endpoint), 'bench-noise');
    return await run({ endpoint, resource, ...time });
  } finally {
    await server.stop();
  }
}

async function measure(
  polite: RequestWorker,
  noisy: RequestWorker,
  place: Place,
  elsewhere: Place,
): Promise<Measurement[]> {
  noisy.nice(LATER);
  for (const each of [place, elsewhere]) {
    await warmUp(polite, each, each.run);
    await fill(polite, each, OBJECTS);
  }
  const found: Measurement[] = [];
  for (const noise of NOISES) found.push(...(await besideNoise(noise, polite, noisy, { place, elsewhere })));
  return found;
}

/** Places of the noise, with their suffixes in names of rows. */
const BESIDE = { without: ': without', elsewhere: ': at another server', place: '' } as const;
type Beside = keyof typeof BESIDE;

async function besideNoise(
  noise: Noise,
  polite: RequestWorker,
  noisy: RequestWorker,
  places: Readonly<Record<'place' | 'elsewhere', Place>>,
): Promise<Measurement[]> {
  const latencies: Record<Beside, Latency[]> = { without: [], elsewhere: [], place: [] };
  const rates: Record<'beside' | 'alone', number[]> = { beside: [], alone: [] };
  for (let round = 0; round < ROUNDS; round++) {
    latencies.without.push(await politeRequests(polite, places.place));
    for (const where of ['elsewhere', 'place'] as const) {
      const making = makeNoise(noisy, places[where], noise, `${round}`);
      latencies[where].push(await politeRequests(polite, places.place));
      const rate = await making;
      if (where === 'place') rates.beside.push(rate);
    }
    rates.alone.push(await makeNoise(noisy, places.place, noise, `${round}-alone`));
  }
  const rows = (['p50', 'p99'] as const).flatMap((part) =>
    (Object.keys(BESIDE) as Beside[]).map((where) => ({
      name: `polite ${part} beside ${NOISE} × ${noise}${BESIDE[where]}`,
      unit: 'ms',
      value: median(latencies[where].map((latency) => latency[part])),
    })),
  );
  return [
    ...rows,
    { name: `${noise} of the noisy one`, unit: '1/s', value: median(rates.beside) },
    { name: `${noise} of the noisy one, alone`, unit: '1/s', value: median(rates.alone) },
  ];
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

/** @param turn names what is created. @returns requests a second */
async function makeNoise(worker: RequestWorker, place: Place, noise: Noise, turn: string): Promise<number> {
  const endpoint = { ...place.endpoint, token: NOISY, from: NOISY_FROM };
  const { resource, run, seconds } = place;
  const load = { endpoint, resource, requesters: NOISE, seconds: seconds + 1 };
  const result = await (noise === 'list'
    ? worker.call('fetchAll', {
        endpoint,
        path: `${resource.path}?resourceVersion=0&limit=200`,
        times: Number.MAX_SAFE_INTEGER,
        seconds: seconds + 1,
        requesters: NOISE,
      })
    : worker.call('run', {
        ...load,
        verb: noise,
        prefix: noise === 'get' ? 'o' : `${run}-${turn}`,
        objects: OBJECTS,
      }));
  if (result.failed > 0) throw new Error(`${result.failed} requests of the noisy one failed`);
  const done = 'done' in result ? result.done : result.milliseconds.length;
  return done / result.seconds;
}
