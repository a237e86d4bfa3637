import { setMaxListeners } from 'node:events';
import type { Api, ApiList, ApiObject } from '../../support/api.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { type ScenarioSettings, scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const LIMIT = 500;
/** Requests under way at a time while objects are made, and while they are changed. */
const MAKERS = 32;
const WRITERS = 32;
/** Slower than without writers, at most; and what a busy machine may add, ms. */
const FACTOR = 3;
const GRACE_MS = 50;
/** A prime that divides no number of objects. */
const STRIDE = 7_919;
/** Fewer would not show whether pages hold what was, or what is. */
const LEAST_CHANGED = 50;
/** How long continue tokens last by default. */
const RETENTION_MS = 300_000;

/** The state of an object from a version on; undefined if it did not exist. */
interface Past {
  readonly since: bigint;
  readonly text: string | undefined;
}

/** All that ever was, by what writers were answered; deletions are answered without a version, and looked up. */
class Model {
  readonly #pasts = new Map<string, Past[]>();

  note(name: string, since: string, text: string | undefined): void {
    const pasts = this.#pasts.get(name) ?? [];
    this.#pasts.set(name, pasts);
    pasts.push({ since: BigInt(since), text });
  }

  /** How many objects were made, changed or deleted after a version. */
  changedSince(version: bigint): number {
    return [...this.#pasts.values()].filter((pasts) => pasts.some(({ since }) => since > version)).length;
  }

  /** `name=text@version` of each object as of a version, in order. */
  at(version: bigint): string[] {
    const found: string[] = [];
    // By names alone: with what follows them, `a-1=` would come before `a=`.
    for (const name of [...this.#pasts.keys()].sort()) {
      const past = this.#pasts
        .get(name)
        ?.sort((a, b) => (a.since < b.since ? -1 : 1))
        .findLast(({ since }) => since <= version);
      if (past?.text !== undefined) found.push(`${name}=${past.text}@${past.since}`);
    }
    return found;
  }
}

const shown = ({ metadata, data }: ApiObject): string => `${metadata.name}=${data?.text}@${metadata.resourceVersion}`;

export const busyPages = staged(
  {
    name: 'busy-pages',
    fault: '200,000 objects are listed in pages, and at an exact version, beside 1,000 writes a second to them',
    pass: 'every page holds the items of the first one’s version, by the answers that writers got; a page takes at most three times as long as without them; the list is through within the retention',
  },
  { gateways: 0, serverArgs: ['--list-load-bytes=0'] },
  async (stage, settings) => {
    const model = new Model();
    const names = Array.from({ length: scaled(settings, 200_000, 3_000) }, (_, i) => `o${String(i).padStart(6, '0')}`);
    await together(names, MAKERS, (name) => write(stage, model, name, 'create'));
    const quiet = await list(stage, model);
    const over = new AbortController();
    setMaxListeners(0, over.signal);
    const writing = keepWriting(stage, settings, model, names, over.signal);
    // A third of the objects, about, is changed behind the version of the first page before the last is read.
    const busy = await list(stage, model, scaled(settings, 60_000, 5_000));
    over.abort();
    await writing;
    await noteDeletions(stage, model);
    const changed = model.changedSince(BigInt(busy.version));
    stage.measure('objects changed beside the list', changed);
    stage.must('R.answer', changed >= LEAST_CHANGED, `only ${changed} objects were changed beside the list`);
    expectItems(stage, 'pages', busy, model);
    await expectExact(stage, busy, model);
    expectSpeed(stage, quiet.times, busy.times);
  },
);

interface Pages {
  readonly version: string;
  readonly items: readonly string[];
  readonly times: readonly number[];
}

/** Goes through all pages. @param lingering ms to take for it at least, spread over the pages */
async function list(stage: Stage, model: Model, lingering = 0): Promise<Pages> {
  const items: string[] = [];
  const times: number[] = [];
  /** Total numbers of objects, as each page reports them. */
  const counts = new Set<number>();
  let seen = 0;
  const began = performance.now();
  let version: string | undefined;
  for (let token: string | undefined = ''; token !== undefined; ) {
    const start = performance.now();
    const answer = await stage.api().get(`${PATH}?limit=${LIMIT}${token && `&continue=${token}`}`);
    // The first page counts the collection.
    if (token !== '') times.push(performance.now() - start);
    if (answer.status !== 200) {
      stage.report('R.answer', `page ${times.length} was answered with ${answer.status} ${answer.text.slice(0, 200)}`);
      break;
    }
    const { metadata, items: found } = answer.json<ApiList>();
    version ??= metadata.resourceVersion;
    stage.must(
      'V4.list',
      version === metadata.resourceVersion,
      `a page of ${version} says ${metadata.resourceVersion}`,
    );
    seen += found.length;
    counts.add(seen + (metadata.remainingItemCount ?? 0));
    items.push(...found.map(shown).filter((item) => !item.startsWith('kube-root-ca.crt')));
    token = metadata.continue;
    if (lingering > 0) await rest(lingering / Math.max(4, items.length / times.length), stage.signal);
  }
  const took = performance.now() - began;
  stage.must('V4.list', counts.size === 1, `pages of ${version} say that there are ${[...counts].join(', ')} objects`);
  stage.must('R.latency', took < RETENTION_MS, `a list took ${took.toFixed()} ms`);
  if (lingering === 0) expectItems(stage, 'quiet pages', { version: version ?? '0', items, times }, model);
  return { version: version ?? '0', items, times };
}

function expectItems(stage: Stage, what: string, { version, items }: Pages, model: Model): void {
  const expected = model.at(BigInt(version));
  const at = expected.findIndex((item, i) => item !== items[i]);
  const same = at < 0 && expected.length === items.length;
  const seen = `${items.length} of ${expected.length}, first ${items[Math.max(0, at)]} for ${expected[Math.max(0, at)]}`;
  stage.must('V4.list', same, `${what} at ${version} hold others than were written: ${seen}`);
}

async function expectExact(stage: Stage, { version }: Pages, model: Model): Promise<void> {
  const answer = await stage.api().get(`${PATH}?resourceVersion=${version}&resourceVersionMatch=Exact`);
  stage.must('R.answer', answer.status === 200, `an exact read of ${version} was answered with ${answer.status}`);
  if (answer.status !== 200) return;
  const items = answer
    .json<ApiList>()
    .items.map(shown)
    .filter((item) => !item.startsWith('kube-root-ca.crt'));
  expectItems(stage, 'an exact read', { version, items, times: [] }, model);
}

/** Judged by the middle one: on a busy machine any page may be late. */
function expectSpeed(stage: Stage, quiet: readonly number[], busy: readonly number[]): void {
  const [before, after] = [quantile(quiet, 0.5), quantile(busy, 0.5)];
  stage.measure('ms of a quiet page, median', before);
  stage.measure('ms of a busy page, median', after);
  stage.measure('ms of a quiet page, p95', quantile(quiet, 0.95));
  stage.measure('ms of a busy page, p95', quantile(busy, 0.95));
  const fast = after <= FACTOR * before + GRACE_MS;
  stage.must('R.latency', fast, `pages took ${after.toFixed()} ms, ${before.toFixed()} without writers`);
}

function quantile(times: readonly number[], of: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(of * (sorted.length - 1))] ?? 0;
}

/**
 * Writes at a rate, to each object once before any twice, all over the list: in its order, writes would stay behind the pages
 * that are read. Some objects go and come back, some are new.
 */
async function keepWriting(
  stage: Stage,
  settings: ScenarioSettings,
  model: Model,
  names: readonly string[],
  over: AbortSignal,
): Promise<void> {
  const rate = scaled(settings, 1_000, 100);
  const began = performance.now();
  let next = 0;
  await together(Array.from({ length: WRITERS }), WRITERS, async () => {
    while (!over.aborted) {
      const turn = next++;
      const name = names[(turn * STRIDE) % names.length] ?? '';
      const early = began + (turn * 1000) / rate - performance.now();
      if (early > 0) await rest(early, over);
      if (turn % 10 === 3) {
        await write(stage, model, name, 'delete');
        if (turn % 20 === 3) await write(stage, model, name, 'create');
      } else if (turn % 10 === 7) await write(stage, model, `${name}-${turn}`, 'create');
      else await write(stage, model, name, 'patch');
    }
  });
  stage.measure('writes beside the list', next);
}

let serial = 0;

/** A write whose answer the model learns; one of something that is not there tells nothing. */
async function write(stage: Stage, model: Model, name: string, verb: 'create' | 'patch' | 'delete'): Promise<void> {
  const text = `t${serial++}`;
  const answer = await send(stage.api(), name, verb, text);
  if (answer.status === 404 || answer.status === 409) return;
  if (answer.status >= 300) throw new Error(`${verb} of ${name}: ${answer.status} ${answer.text}`);
  if (verb !== 'delete') model.note(name, answer.json().metadata.resourceVersion, text);
}

async function noteDeletions({ postgresUrl }: Stage, model: Model): Promise<void> {
  const rows = await sql<{ name: string; version: string }>(
    postgresUrl,
    `SELECT c.name, c.version FROM change c JOIN resource_type t ON t.id = c.type
      WHERE t.api_group = '' AND t.resource = 'configmaps' AND c.action = 5`,
  );
  for (const { name, version } of rows) model.note(name, version, undefined);
}

function send(api: Api, name: string, verb: 'create' | 'patch' | 'delete', text: string) {
  if (verb === 'create') return api.post(PATH, { metadata: { name }, data: { text } });
  if (verb === 'patch') return api.patch(`${PATH}/${name}`, 'merge', { data: { text } });
  return api.delete(`${PATH}/${name}`);
}

async function together<T>(items: readonly T[], workers: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
