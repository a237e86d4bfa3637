import { expect, it } from 'vitest';
import { testApi } from '../testing/test-api.js';
import { gathered } from './piece.js';
import { prettyList } from './pretty.js';

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
