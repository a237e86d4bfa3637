import { prettyList, type ResourceCall } from '@orch/serving';
import { type TestApi, testApi } from '@orch/testing';
import { describe, expect, it } from 'vitest';
import { gathered } from './piece.js';
import type { Representation } from './representation.js';

const META = 'g=meta.orch.io;v=v1';

/** Turns of the event loop while something is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, over] = [0, false];
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await work();
  over = true;
  return turns;
}

it('so does one of many objects that lack defaults, page by page', async () => {
  const api = await testApi();
  await api.create('deployments', {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    },
  });
  const endpoint = api.endpoint('deployments');
  const [row = expect.unreachable()] = api.store.rows(endpoint.type);
  const page = () => Array.from({ length: 250 }, () => ({ ...row, defaults: 0, body: Buffer.from(row.body) }));
  const old = Array.from({ length: 40 }, page);
  const pages = async function* () {
    yield* old;
  };
  const representation = api.deps.representations.choose(endpoint, 'application/json', new URLSearchParams());
  expect(await turnsDuring(() => gathered(representation.list({ resourceVersion: '1' }, pages())))).toBeGreaterThan(3);
  api.close();
});

it('a list that takes long to write lets others have turns, whatever is made of its items', async () => {
  const api = await testApi();
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, 'value']));
  for (let i = 0; i < 12; i++) await api.create('configmaps', { metadata: { name: `c${i}` }, data });
  const endpoint = api.endpoint('configmaps');
  const rows = api.store.rows(endpoint.type);
  const pages = async function* () {
    yield rows;
  };
  const representation = (accept: string) => api.deps.representations.choose(endpoint, accept, new URLSearchParams());
  const meta = { resourceVersion: '1' };
  for (const accept of [
    `application/json;as=Table;${META}`,
    `application/json;as=PartialObjectMetadataList;${META}`,
    'application/yaml',
    'application/vnd.orch.protobuf',
  ]) {
    const turns = await turnsDuring(() => gathered(representation(accept).list(meta, pages())));
    expect(turns, accept).toBeGreaterThan(3);
  }
  const { parts } = representation('application/json');
  if (!parts) return expect.unreachable();
  expect(await turnsDuring(() => gathered(prettyList(parts, meta, pages())))).toBeGreaterThan(3);
  api.close();
});

/** Works for longer than a turn may last. */
function work(): void {
  const end = performance.now() + 3;
  while (performance.now() < end);
}

/** An endpoint whose rows take long, the turn of the event loop that each of them was made in, and some objects. */
async function heavyRows(objects: number, type: string) {
  const api = await testApi();
  for (let i = 0; i < objects; i++) await api.create('configmaps', { metadata: { name: `c${i}` } });
  const known = api.endpoint('configmaps');
  const [made, turn] = [[] as number[], { at: 0, over: false }];
  const count = (): void => {
    turn.at++;
    if (!turn.over) setImmediate(count);
  };
  setImmediate(count);
  const cells = (): string[] => {
    work();
    made.push(turn.at);
    return [];
  };
  const endpoint: ResourceCall['endpoint'] = { ...known, rules: { ...known.rules, cells } };
  const table = `${type};as=Table;${META}`;
  const representation = api.deps.representations.choose(endpoint, table, new URLSearchParams());
  const rows = api.store.rows(endpoint.type);
  const end = (): void => {
    turn.over = true;
    api.close();
  };
  return { representation, rows, made, end };
}

const pagesOf = async function* (rows: ReturnType<TestApi['store']['rows']>) {
  yield rows;
};

describe('of rows that take long no two are made in one turn, whoever they are for', () => {
  const wholeList = (representation: Representation, rows: ReturnType<TestApi['store']['rows']>) =>
    gathered(representation.list({ resourceVersion: '1' }, pagesOf(rows)));
  const oneRow = (representation: Representation, [row = expect.unreachable()]: ReturnType<TestApi['store']['rows']>) =>
    representation.objectInTurns?.(row);
  const pretty = ({ parts }: Representation, rows: ReturnType<TestApi['store']['rows']>) =>
    gathered(prettyList(parts ?? expect.unreachable(), { resourceVersion: '1' }, pagesOf(rows)));

  it.each<[string, (...asked: Parameters<typeof wholeList>) => Promise<unknown> | undefined, number, string?]>([
    ['lists', wholeList, 2],
    ['lists that are indented', pretty, 2],
    ['lists in YAML', wholeList, 2, 'application/yaml'],
    ['single objects', oneRow, 1],
    ['single objects in YAML', oneRow, 1, 'application/yaml'],
  ])('%s', async (_, ask, objects, type = 'application/json') => {
    const { representation, rows, made, end } = await heavyRows(objects, type);
    await Promise.all(Array.from({ length: 8 }, () => ask(representation, rows)));
    end();
    expect(made).toHaveLength(8 * objects);
    expect(new Set(made).size).toBe(made.length);
  });
});
