import type { Socket } from 'node:net';
import { startStandalone } from '../../support/standalone.js';
import { type Endpoint, openSocket } from '../connection.js';
import type { Measurement } from '../report.js';
import type { RequestLoad } from '../request-load.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { benchResource, inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { type Latency, median } from '../summary.js';
import { addressOf } from '../target.js';
import { warmUp } from '../warm-up.js';
import { letThemIn, NOISY, NOISY_FROM, POLITE, ROUNDS } from './polite.js';

/** Clients that keep the server waiting, of one user. */
const SLOW = 900;
/** Requests a second of all polite users together. */
const POLITE_RATE = 100;
const OBJECTS = 1_000;
/** Objects of the list that nobody reads, and bytes of each: more than connections hold. */
const LARGE = { objects: 16, filling: 900_000 } as const;
/** Sockets that are opened at a time. */
const AT_ONCE = 30;
/** Options that let one user have all slow requests, so that none is refused. */
const ARGS = [
  '--max-unread-answers-per-user=2000',
  '--max-unread-answer-bytes-per-user=1Gi',
  '--max-unread-answer-bytes=2Gi',
];

interface Place {
  readonly endpoint: Endpoint;
  /** Without TLS: opening so many connections is not what is measured. */
  readonly plain: Endpoint;
  readonly resource: Resource;
  readonly large: Resource;
  readonly seconds: number;
}

const VERBS = ['get', 'create'] as const;
const headOf = ({ host, port }: Endpoint, method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${NOISY}\r\n${more}\r\n`;

/** Requests of the slow clients, which read nothing afterwards. */
const SLOWNESS = {
  'slow bodies': ({ endpoint, resource }: Place) =>
    `${headOf(endpoint, 'POST', resource.path, 'Content-Type: application/json\r\nContent-Length: 1000\r\n')}{`,
  'unread lists': ({ endpoint, large }: Place) => headOf(endpoint, 'GET', large.path),
} as const;
type Slowness = keyof typeof SLOWNESS;

/**
 * How long fifty users wait for their answers beside clients that do not send their bodies, or do not read their answers.
 * BENCH_EXECUTABLE names another build of the server to measure.
 */
export async function slowClientColumns({
  run,
  seconds,
}: Omit<StageSettings, 'target'>): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const executable = process.env.BENCH_EXECUTABLE;
  const server = await startStandalone({
    strangers: [...POLITE, NOISY],
    args: ARGS,
    ...(executable && { executable }),
  });
  try {
    await letThemIn(server);
    const endpoint = { ...addressOf(server.url), tls: { ca: server.ca }, token: server.token };
    const [resource, large] = [
      await inNamespace(endpoint, await benchResource(endpoint), 'bench-slow'),
      await inNamespace(endpoint, await benchResource(endpoint), 'bench-large'),
    ];
    const place = { endpoint, plain: addressOf(server.plainUrl), resource, large, seconds };
    return new Map([['orch', await withRequests((polite) => measure(polite, place, run))]]);
  } finally {
    await server.stop();
  }
}

async function measure(polite: RequestWorker, place: Place, run: string): Promise<Measurement[]> {
  await warmUp(polite, place, run);
  await fill(polite, place, OBJECTS);
  const { filling, objects } = LARGE;
  await fill(polite, { ...place, resource: place.large }, objects, { filling });
  const found: Measurement[] = [];
  for (const slowness of Object.keys(SLOWNESS) as Slowness[])
    found.push(...(await beside(slowness, polite, place, run)));
  return found;
}

async function beside(slowness: Slowness, polite: RequestWorker, place: Place, run: string): Promise<Measurement[]> {
  const without: Record<string, Latency[]> = { get: [], create: [] };
  const besides: Record<string, Latency[]> = { get: [], create: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const ask = async (to: Record<string, Latency[]>, turn: string) => {
      for (const verb of VERBS) to[verb]?.push(await politeRequests(polite, place, verb, `${run}-${turn}-${round}`));
    };
    await ask(without, `${slowness.replace(' ', '-')}-without`);
    const sockets = await openSlow(place, SLOWNESS[slowness](place));
    await ask(besides, slowness.replace(' ', '-'));
    for (const socket of sockets) socket.destroy();
  }
  return VERBS.flatMap((verb) =>
    (['p50', 'p99'] as const).flatMap((part) => [
      row(`${verb} ${part} beside ${SLOW} ${slowness}: without`, without[verb], part),
      row(`${verb} ${part} beside ${SLOW} ${slowness}`, besides[verb], part),
    ]),
  );
}

const row = (name: string, latencies: readonly Latency[] = [], part: 'p50' | 'p99'): Measurement => ({
  name: `polite ${name}`,
  unit: 'ms',
  value: median(latencies.map((latency) => latency[part])),
});

async function openSlow({ plain }: Place, bytes: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < SLOW) {
    const opened = Array.from({ length: AT_ONCE }, () => openSocket({ ...plain, from: NOISY_FROM }));
    for (const socket of await Promise.all(opened)) {
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(bytes);
      sockets.push(socket);
    }
  }
  return sockets;
}

async function politeRequests(
  worker: RequestWorker,
  { endpoint, resource, seconds }: Place,
  verb: 'get' | 'create',
  prefix: string,
): Promise<Latency> {
  const load: RequestLoad = {
    ...{ endpoint, resource, seconds, verb },
    tokens: POLITE,
    prefix: verb === 'get' ? 'o' : prefix,
    objects: OBJECTS,
    requesters: POLITE.length,
    rate: POLITE_RATE,
  };
  const result = await worker.call('run', load);
  if (result.failed > 0) throw new Error(`${result.failed} requests of polite users failed`);
  return result;
}
