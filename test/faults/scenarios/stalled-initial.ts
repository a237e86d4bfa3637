import type { IncomingMessage } from 'node:http';
import { Api } from '../../support/api.js';
import { scrape } from '../stage/scrape.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
/** User whose watches stall; not an administrator, who has no per-user limit. */
const READER = 'stalled-reader';
const TOKEN = 'token-of-the-stalled-reader';
const OBJECTS = 400;
const OBJECT_BYTES = 100_000;
/** The part of the state that each reads. What is left is more than the buffers of a connection hold. */
const READ_PART = 0.6;
/** For some 25 watches, each of which may have two objects on its way. */
const PER_USER_BYTES = 5 << 20;
/**
 * Allowed growth of the process: connection buffers, pieces for other watches, garbage. Copies of the state are 600 MB.
 */
const GROWTH_BYTES = 250 << 20;
/** A stall ends after 45 s, its connection 10 s later; a process that has stood still begins to count anew. */
const LEFT_MS = 90_000;
const FORGOTTEN_MS = 10_000;
/** How much longer a whole initial state may take beside them, and what a busy machine adds. */
const SLOWER = 3;
const NOISE_MS = 2_000;

export const stalledInitial = stalling(
  {
    name: 'stalled-initial',
    fault: '1,000 watches of one user with selectors of their own read 60 % of a state of 40 MB, and no more',
    pass: 'what they hold is counted and bounded for the user, more are refused with 429 and Retry-After; another client has the whole state in 3 times the time at most; nothing is left 90 s later',
  },
  [`--watch-initial-bytes-per-user=${PER_USER_BYTES}`],
);

/** The negative control: nothing is bounded for a user, and nobody who stands still is ended. */
export const stalledInitialUnbounded = controlled(
  stalling(
    {
      name: 'stalled-initial-unbounded',
      fault: 'the same with a gateway without these bounds: the negative control',
      pass: 'V8 says so',
    },
    ['--watch-initial-bytes-per-user=0', '--watch-stall-timeout=1h'],
  ),
  'V8.memory',
);

/** A watch that stands still, and the bytes that its client has read. */
interface Standing {
  readonly message: IncomingMessage;
  readonly read: number;
}

function stalling(about: Omit<Scenario, 'run'>, serverArgs: readonly string[]): Scenario {
  const cluster = { apiServers: 1, gateways: 1, serverArgs, tokens: { [TOKEN]: READER } };
  return staged(about, cluster, async (stage, settings) => {
    await fill(stage);
    const url = stage.cluster.gatewayUrls[0] ?? '';
    const before = { ms: await readWhole(stage, url), ...(await look(stage, url)) };
    const api = new Api({ url, ca: stage.cluster.ca, token: TOKEN });
    const messages = await openAll(stage, api, settings);
    const ms = await readWhole(stage, url);
    const during = await settled(stage, url);
    stage.measure('ms of a whole initial state before', before.ms);
    stage.measure('ms of a whole initial state during', ms);
    stage.measure('MiB that the process has grown by', (during.resident - before.resident) / 2 ** 20);
    stage.measure('KiB counted for the user', during.held / 1024);
    stage.must('R.latency', ms < before.ms * SLOWER + NOISE_MS, `${ms} ms beside them, ${before.ms} ms before`);
    stage.must('R.recovery', during.held > 0, 'nothing is counted: the measure is blind');
    stage.must('V8.memory', during.held <= PER_USER_BYTES, `${during.held} bytes are held for one user`);
    const growth = during.resident - before.resident;
    stage.must('V8.memory', growth < GROWTH_BYTES, `the process has grown by ${growth} bytes`);
    await expectNothingLeft(stage, url, before.watchers, messages);
    for (const { message } of messages) message.destroy();
    api.close();
  });
}

async function fill(stage: Stage): Promise<void> {
  const api = stage.api(stage.cluster.apiServerUrls[0]);
  for (let number = 0; number < OBJECTS; number++) {
    const data = { text: String(number).padEnd(OBJECT_BYTES, 'x') };
    const { status, text } = await api.post(PATH, { metadata: { name: `large-${number}` }, data });
    if (status !== 201) throw new Error(`${status} ${text}`);
  }
}

/** Reads metrics of the gateway. */
async function look(stage: Stage, url: string) {
  const metrics = await scrape(stage, url);
  return {
    resident: metrics.sum('process_resident_memory_bytes'),
    held: metrics.sum('orch_watch_cache_initial_bytes', 'resource="configmaps"'),
    watchers: metrics.sum('orch_watch_cache_watchers', 'resource="configmaps"'),
    refusals: metrics.sum('orch_limit_refusals_total', 'limit="initial-bytes"'),
  };
}

/** The same once pieces are forgotten that nobody has shared, if that makes what is held as little as it may be. */
async function settled(stage: Stage, url: string) {
  const deadline = performance.now() + FORGOTTEN_MS;
  let seen = await look(stage, url);
  while (seen.held > PER_USER_BYTES && performance.now() < deadline && !stage.signal.aborted) {
    await rest(500, stage.signal);
    seen = await look(stage, url);
  }
  return seen;
}

/** Milliseconds until a client that reads has the whole state; what it has shared is forgotten then. */
async function readWhole(stage: Stage, url: string): Promise<number> {
  const { watchers: others } = await look(stage, url);
  const began = performance.now();
  const message = await stage.api(url).open('GET', `${PATH}?watch=1&timeoutSeconds=600`, {});
  await readBytes(message, OBJECTS * OBJECT_BYTES);
  const ms = performance.now() - began;
  message.destroy();
  const isForgotten = async () => (await look(stage, url)).watchers <= others;
  await stage.recovers('the gateway has noticed that the reader is gone', 10_000, isForgotten);
  return ms;
}

/** Reads so many bytes and stops; resolves with how many came when it has, or when the stream is over. */
function readBytes(message: IncomingMessage, bytes: number): Promise<number> {
  return new Promise((resolve) => {
    let read = 0;
    const count = (piece: Buffer): void => {
      read += piece.length;
      if (read < bytes) return;
      message.off('data', count).pause();
      resolve(read);
    };
    message.on('error', () => undefined);
    if (message.closed) return resolve(read);
    message.once('close', () => resolve(read));
    message.on('data', count).resume();
  });
}

/** Opens the watches one after another, each of which reads its part; those beyond the bound are to be refused in order. */
async function openAll(stage: Stage, api: Api, settings: ScenarioSettings) {
  const open: Standing[] = [];
  let refused = 0;
  const count = scaled(settings, 1_000, 50);
  for (let number = 0; number < count; number++) {
    const path = `${PATH}?watch=1&timeoutSeconds=3600&labelSelector=%21own${number}`;
    const message = await api.open('GET', path, {});
    if (message.statusCode === 429) {
      refused++;
      stage.must('R.recovery', message.headers['retry-after'] !== undefined, 'a refusal without Retry-After');
      message.resume();
      continue;
    }
    stage.must('R.recovery', message.statusCode === 200, `a watch was answered with ${message.statusCode}`);
    open.push({ message, read: await readBytes(message, OBJECTS * OBJECT_BYTES * READ_PART) });
  }
  stage.measure('watches that stand still', open.length);
  stage.measure('watches that were refused', refused);
  const { refusals } = await look(stage, api.settings.url);
  stage.must('R.recovery', refusals === refused, `${refusals} refusals are counted, ${refused} were made`);
  stage.must('V8.memory', refused > 0, `all ${count} watches were taken in`);
  return open;
}

/** Whoever is open yet has been sent the whole state: the kernel has kept what its client did not read. */
async function expectNothingLeft(stage: Stage, url: string, watchers: number, all: readonly Standing[]): Promise<void> {
  if (stage.violations.length > 0) return;
  const deadline = performance.now() + LEFT_MS;
  let left = await look(stage, url);
  while ((left.held > 0 || left.watchers > watchers) && performance.now() < deadline && !stage.signal.aborted) {
    await rest(1_000, stage.signal);
    left = await look(stage, url);
  }
  const open = left.watchers - watchers;
  let whole = 0;
  for (const { message, read } of open > 0 ? all : []) {
    const rest = OBJECTS * OBJECT_BYTES - read;
    if ((await readBytes(message, rest)) >= rest) whole++;
  }
  stage.measure('watches that had been sent all', whole);
  const isGone = left.held === 0 && open <= whole;
  stage.must('V8.memory', isGone, `90 s later ${left.held} bytes are held, of ${open} watches, ${whole} of them whole`);
}
