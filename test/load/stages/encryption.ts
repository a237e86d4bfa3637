import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeKms } from '@orch/encryption/testing';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import type { Measurement } from '../report.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { benchResource, inNamespace, presentVersion, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { median } from '../summary.js';
import { addressOf, type Target } from '../target.js';
import { ServerProcesses } from '../usage.js';
import { warmUp } from '../warm-up.js';

type EncryptionSettings = Omit<StageSettings, 'target'>;

const REQUESTERS = 64;
/** Columns take turns of a part of the time, as the machine may have more to do at times; medians count. */
const ROUNDS = 24;
const TURN = 0.1;
/** An old list is one of a version that was, which the database has. */
const VERBS = ['create', 'update', 'get', 'list', 'old list'] as const;
type Verb = (typeof VERBS)[number];

interface Size {
  readonly name: string;
  /** Filling, as in `objectBody`. */
  readonly filling: number;
  /** Number of objects of a list. */
  readonly objects: number;
}

const SIZES: readonly Size[] = [
  { name: '1 KiB', filling: 840, objects: 512 },
  { name: '20 KiB', filling: 20_296, objects: 64 },
];
/** Number of requesters that list, once in a turn. */
const LISTERS = 16;

/** Requests to what each provider encrypts, by 64 requesters and without TLS, beside the same to what is stored as it is. */
export async function encryptionColumns(
  settings: EncryptionSettings,
): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-encryption-'));
  const kms = new FakeKms(join(dir, 'kms.sock'));
  const columns: Column[] = [];
  try {
    await kms.start();
    for (const [name, provider] of Object.entries(providers(kms)))
      columns.push(await Column.open(name, provider && configured(dir, name, provider)));
    await withRequests(async (worker) => {
      for (const column of columns) await column.prepare(worker, settings);
      for (let round = 0; round < ROUNDS; round++) await measureRound(columns, worker, settings, round);
    });
    const [plain] = columns;
    return new Map(columns.map((column) => [column.name, column.results(plain)]));
  } finally {
    await Promise.all(columns.map((column) => column.close()));
    await kms.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Returns the providers by name, as they are configured; the first one has no configuration. */
function providers(kms: FakeKms): Readonly<Record<string, object | undefined>> {
  const keys = [{ name: 'bench', secret: Buffer.alloc(32, 'bench').toString('base64') }];
  return {
    none: undefined,
    aesgcm: { aesgcm: { keys } },
    aescbc: { aescbc: { keys } },
    secretbox: { secretbox: { keys } },
    kms: { kms: { apiVersion: 'v2', name: 'bench', endpoint: kms.endpoint } },
  };
}

/** @returns the path of a configuration; JSON is YAML */
function configured(dir: string, name: string, provider: object): string {
  const path = join(dir, `${name}.yaml`);
  const resources = [{ resources: ['configmaps'], providers: [provider] }];
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function measureRound(
  columns: readonly Column[],
  worker: RequestWorker,
  settings: EncryptionSettings,
  round: number,
): Promise<void> {
  for (const size of SIZES) {
    for (const verb of VERBS) {
      for (const column of round % 2 === 0 ? columns : columns.toReversed())
        await column.measure(worker, { ...settings, size, verb, round });
    }
  }
}

interface Turn extends EncryptionSettings {
  readonly size: Size;
  readonly verb: Verb;
  readonly round: number;
}

/** Measurements of one turn. */
interface Found {
  readonly rate: number;
  /** Microseconds of a request. */
  readonly cpu: number;
}

/** Objects of a size. */
interface Collections {
  /** Resource in which objects are created. */
  readonly made: Resource;
  /** Resource with as many objects as a list has. */
  readonly present: Resource;
  /** Version at which those objects existed. */
  readonly version: string;
}

/** A server under measurement, and what was measured of it, by the name of what was done. */
class Column {
  readonly #found = new Map<string, Found[]>();
  readonly #collections = new Map<string, Collections>();

  private constructor(
    readonly name: string,
    private readonly server: Standalone,
    private readonly target: Target,
  ) {}

  /** @param configuration path of an EncryptionConfiguration */
  static async open(name: string, configuration: string | undefined): Promise<Column> {
    const args = configuration === undefined ? [] : [`--encryption-provider-config=${configuration}`];
    const server = await startStandalone({ args: ['--history-retention=1h', ...args] });
    const endpoint = { ...addressOf(server.plainUrl), token: server.token };
    const resource = await benchResource(endpoint);
    const processes = new ServerProcesses(() => [server.process.pid]);
    return new Column(name, server, { name, endpoint, processes, resource });
  }

  async prepare(worker: RequestWorker, { run }: EncryptionSettings): Promise<void> {
    const { endpoint, resource } = this.target;
    await warmUp(worker, this.target, run);
    for (const { name, filling, objects } of SIZES) {
      const [made, present] = [`made-${objects}`, `present-${objects}`];
      const collections = {
        made: await inNamespace(endpoint, resource, made),
        present: await inNamespace(endpoint, resource, present),
      };
      await fill(worker, { endpoint, resource: collections.present }, objects, { filling });
      const version = await presentVersion(endpoint, collections.present);
      this.#collections.set(name, { ...collections, version });
    }
  }

  async measure(worker: RequestWorker, turn: Turn): Promise<void> {
    const { processes } = this.target;
    const before = processes.cpuMicroseconds();
    const isList = turn.verb === 'list' || turn.verb === 'old list';
    const { done, seconds } = await (isList ? this.#list(worker, turn) : this.#request(worker, turn));
    const title = `${turn.verb} ${turn.size.name}`;
    const found = this.#found.get(title) ?? [];
    found.push({ rate: done / seconds, cpu: (processes.cpuMicroseconds() - before) / done });
    this.#found.set(title, found);
  }

  async #request(worker: RequestWorker, { seconds, run, size, verb, round }: Turn) {
    if (verb === 'list' || verb === 'old list') throw new Error('lists are fetched');
    const { made, present } = this.#of(size);
    const [resource, prefix] = verb === 'create' ? [made, `${run}-${round}`] : [present, 'o'];
    const many = { requesters: REQUESTERS, objects: REQUESTERS, filling: size.filling };
    const load = { endpoint: this.target.endpoint, resource, seconds: seconds * TURN, ...many };
    const result = await worker.call('run', { ...load, verb, prefix });
    if (result.failed > 0) throw new Error(`${this.name}: ${verb}: ${result.failed} of ${result.done} failed`);
    return result;
  }

  async #list(worker: RequestWorker, { size, verb }: Turn) {
    const { present, version } = this.#of(size);
    const query = verb === 'list' ? '' : `?resourceVersion=${version}&resourceVersionMatch=Exact`;
    const { endpoint } = this.target;
    const load = { endpoint, path: `${present.path}${query}`, times: 1, requesters: LISTERS };
    const result = await worker.call('fetchAll', load);
    if (result.failed > 0) throw new Error(`${this.name}: ${result.failed} lists failed`);
    return { done: result.milliseconds.length, seconds: result.seconds };
  }

  #of({ name }: Size): Collections {
    const found = this.#collections.get(name);
    if (!found) throw new Error('nothing was prepared');
    return found;
  }

  /** @param plain that in which nothing is encrypted; ratios are of turns of one round */
  results(plain: Column = this): Measurement[] {
    return [...this.#found].flatMap(([title, found]) => {
      const base = plain.#found.get(title) ?? [];
      const ratio = (part: keyof Found) => median(found.map((each, i) => each[part] / (base[i]?.[part] ?? Number.NaN)));
      return [
        { name: title, unit: '1/s', value: median(found.map(({ rate }) => rate)) },
        { name: `${title}: server CPU`, unit: 'µs each', value: median(found.map(({ cpu }) => cpu)) },
        { name: `${title}: rate to that without`, unit: '×', value: ratio('rate') },
        { name: `${title}: CPU to that without`, unit: '×', value: ratio('cpu') },
      ];
    });
  }

  close(): Promise<void> {
    return this.server.stop();
  }
}
