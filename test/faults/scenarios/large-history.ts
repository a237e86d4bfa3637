import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { ManagedProcess } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import { type Latencies, latencies } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, scaled, staged } from './scenario.js';

const NAMESPACE = '/api/v1/namespaces/default';
const KINDS = ['configmaps', 'secrets'] as const;
type Kind = (typeof KINDS)[number];

/** Bytes of text of one object: nearly the maximum of etcd. */
const TEXT_BYTES = 1_000_000;
/** Bytes of an event; more than what precedes its version. */
const HEAD_BYTES = 2_000;
/** Watches of each kind that resume from before all of it. */
const RESUMED = 2;
/**
 * What a server may take more than at rest: some 20 MiB of pages that are read and events on their way, beside the bodies that wait for V8
 * to find them dead, and what comes while it looks.
 */
const RSS_BYTES = 100 << 20;
const LOOK_MS = 100;
/** Gets of a small object, of one client after another. */
const GET_EVERY_MS = 10;
const QUIET_GETS = 200;
/** Slower than before, at most; and what a busy machine may add, ms. */
const FACTOR = 3;
const GRACE_MS = 50;

/** Little of it stays in memory for those who come back, so that they are served from the database. */
const SMALL_RINGS = ['--watch-ring-bytes=4Mi', '--watch-frame-bytes=2Mi', '--watch-history-bytes=4Mi'];

export const largeHistory = reading({
  name: 'large-history',
  fault:
    '300 updates of an object of 1 MB in each of two types, while a gateway stands still; then watches resume from before',
  pass: 'every event is delivered, to those that were open and to those that resume; RSS grows by less than 100 MiB; p99 of gets beside is less than three times what it was',
});

/** The negative control: pages of history have no bound that counts. */
export const largeHistoryUnbounded = controlled(
  reading(
    {
      name: 'large-history-unbounded',
      fault: 'the same with pages of history that are not bounded in bytes: the negative control',
      pass: 'V8 says so',
    },
    ['--history-page-bytes=1Gi'],
  ),
  'V8.memory',
);

function reading(about: Omit<Scenario, 'run'>, serverArgs: readonly string[] = []): Scenario {
  const cluster = { apiServers: 1, gateways: 1, serverArgs: [...SMALL_RINGS, ...serverArgs] };
  return staged(about, cluster, async (stage, settings) => {
    const updates = scaled(settings, 300, 40);
    const [gateway, apiServer] = [stage.cluster.gateways[0], stage.cluster.apiServers[0]];
    if (!gateway || !apiServer) throw new Error('the cluster has not started');
    const begun = await Promise.all(KINDS.map((kind) => write(stage, kind, 'text')));
    const open = await watchAll(stage, begun);
    const gets = await Gets.start(stage);
    const quiet = await gets.take(QUIET_GETS);
    await gateway.kill('SIGSTOP');
    try {
      for (let i = 0; i < updates; i++) await Promise.all(KINDS.map((kind) => write(stage, kind, String(i))));
    } finally {
      await gateway.kill('SIGCONT');
    }
    await gets.take(1);
    const growth = new Growth(stage, [gateway, apiServer]);
    await expectAll(stage, 'a gateway that stood still', open, updates);
    for (let i = 0; i < RESUMED; i++)
      await expectAll(stage, 'a watch that resumes', await watchAll(stage, begun), updates);
    expectSpeed(stage, quiet, await gets.take(1));
    await gets.stop();
    growth.judge();
  });
}

/** Puts text into the object of a kind; its version. */
async function write(stage: Stage, kind: Kind, start: string): Promise<string> {
  const api = stage.api(stage.cluster.apiServerUrls[0]);
  const data = { [kind === 'secrets' ? 'stringData' : 'data']: { text: start.padEnd(TEXT_BYTES, 'x') } };
  const made = await api.patch(`${NAMESPACE}/${kind}/large`, 'merge', data);
  const answer =
    made.status === 404 ? await api.post(`${NAMESPACE}/${kind}`, { metadata: { name: 'large' }, ...data }) : made;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`);
  return answer.json().metadata.resourceVersion;
}

/** The versions that a watch has sent: parsing whole events would take so long that nothing could be timed beside. */
class Versions {
  readonly seen: bigint[] = [];
  isOver = false;
  #line = '';
  #skips = false;
  #wake: () => void = () => undefined;

  constructor(readonly message: IncomingMessage) {
    message.on('data', (piece: Buffer) => this.#take(piece));
    message.on('error', () => undefined);
    message.once('close', () => {
      this.isOver = true;
      this.#wake();
    });
  }

  /** The beginning of what came last: of an error the whole. */
  get last(): string {
    return this.#line;
  }

  /** Resolves when there are so many, or when the stream is over. */
  async reach(count: number): Promise<void> {
    while (this.seen.length < count && !this.isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #take(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const newline = piece.indexOf('\n', at);
      const end = newline < 0 ? piece.length : newline;
      if (!this.#skips) this.#line += piece.toString('latin1', at, Math.min(end, at + HEAD_BYTES));
      const version = this.#skips ? undefined : /"type":"MODIFIED".*?"resourceVersion":"(\d+)"/.exec(this.#line)?.[1];
      if (version !== undefined) {
        this.seen.push(BigInt(version));
        this.#skips = true;
        this.#wake();
      }
      if (newline >= 0) [this.#line, this.#skips] = ['', false];
      at = end + 1;
    }
  }
}

function watchAll(stage: Stage, versions: readonly string[]): Promise<Versions[]> {
  const api = stage.api(stage.cluster.gatewayUrls[0]);
  return Promise.all(
    KINDS.map(async (kind, i) => {
      const path = `${NAMESPACE}/${kind}?watch=1&fieldSelector=metadata.name%3Dlarge&resourceVersion=${versions[i]}`;
      return new Versions(await api.open('GET', path, {}));
    }),
  );
}

async function expectAll(stage: Stage, what: string, streams: readonly Versions[], updates: number): Promise<void> {
  const start = performance.now();
  await Promise.all(
    streams.map(async (stream) => {
      await stream.reach(updates);
      const { seen, last, message } = stream;
      const end = `then ended: ${message.statusCode} ${last.slice(0, 300)}`;
      stage.must('V2.missing', seen.length >= updates, `${what} had ${seen.length} of ${updates} events, ${end}`);
      const ordered = seen.every((version, i) => i === 0 || version > (seen[i - 1] ?? 0n));
      stage.must('V2.order', ordered, `${what} had events out of order or twice`);
      message.destroy();
    }),
  );
  stage.measure(`ms until ${what} has delivered everything`, performance.now() - start);
}

/** Gets of a small object, one after another, while other things happen. */
class Gets {
  #times: number[] = [];
  #reached: () => void = () => undefined;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;

  private constructor(
    private readonly stage: Stage,
    private readonly api: Api,
  ) {
    this.#running = this.#run();
  }

  static async start(stage: Stage): Promise<Gets> {
    const { cluster } = stage;
    const api = new Api({ url: cluster.apiServerUrls[0] ?? '', ca: cluster.ca, token: cluster.token });
    await api.post(`${NAMESPACE}/serviceaccounts`, { metadata: { name: 'small' } });
    return new Gets(stage, api);
  }

  /** How long they took since the last call; waits for so many at least. */
  async take(least: number): Promise<Latencies> {
    while (this.#times.length < least) await new Promise<void>((resolve) => (this.#reached = resolve));
    return latencies(this.#times.splice(0));
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#running;
    this.api.close();
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const start = performance.now();
      const { status } = await this.api.get(`${NAMESPACE}/serviceaccounts/small`);
      this.stage.must('R.answer', status === 200, `a get was answered with ${status}`);
      this.#times.push(performance.now() - start);
      this.#reached();
      await rest(GET_EVERY_MS, this.#over.signal);
    }
  }
}

function expectSpeed(stage: Stage, quiet: Latencies, busy: Latencies): void {
  stage.measure('p99 of gets before, ms', quiet.p99);
  stage.measure('p99 of gets beside, ms', busy.p99);
  const fast = busy.p99 <= FACTOR * quiet.p99 + GRACE_MS;
  stage.must('R.latency', fast, `p99 of gets beside is ${busy.p99.toFixed()} ms, ${quiet.p99.toFixed()} before`);
}

/** How much more memory processes take than when this began. */
class Growth {
  readonly #least: readonly number[];
  readonly #most: number[];
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly stage: Stage,
    private readonly processes: readonly ManagedProcess[],
  ) {
    this.#least = processes.map(rssOf);
    this.#most = [...this.#least];
    this.#timer = setInterval(() => {
      for (const [i, process] of processes.entries()) this.#most[i] = Math.max(this.#most[i] ?? 0, rssOf(process));
    }, LOOK_MS);
  }

  judge(): void {
    clearInterval(this.#timer);
    for (const [i, { name }] of this.processes.entries()) {
      const grown = (this.#most[i] ?? 0) - (this.#least[i] ?? 0);
      this.stage.measure(`MiB that ${name} grew by`, grown / 2 ** 20);
      this.stage.must('V8.memory', grown < RSS_BYTES, `${name} grew by ${Math.round(grown / 2 ** 20)} MiB`);
    }
  }
}

function rssOf({ pid }: ManagedProcess): number {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
