import { expect, test } from 'vitest';
import type { ApiList } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
  list,
  namesIn,
} from './conformance.js';

conformanceWithoutNames('Paging [Paging]', ({ api, namespace }) => {
  const NAMES = ['a', 'b', 'c', 'd', 'e'];

  test('chunks hold at most `limit` items of one snapshot, and say how many remain', async () => {
    const ns = await namespace();
    await createAll(api, ns, NAMES);
    const first = await list(api, `${configMaps(ns)}?limit=2`);
    expect(namesIn(first)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(3);
    // Changes behind the first chunk do not show in the next ones.
    expectStatus(await api.delete(`${configMaps(ns)}/c`), 200);
    await createAll(api, ns, ['c2', 'f']);
    expectStatus(await api.put(`${configMaps(ns)}/d`, configMap('d', { data: { a: '2' } })), 200);
    const token = encodeURIComponent(first.metadata.continue ?? '');
    const second = await list(api, `${configMaps(ns)}?limit=2&continue=${token}`);
    expect(namesIn(second)).toEqual(['c', 'd']);
    expect(second.items[1]?.data).toEqual({ a: '1' });
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(second.metadata.remainingItemCount).toBe(1);
    const last = await list(
      api,
      `${configMaps(ns)}?limit=2&continue=${encodeURIComponent(second.metadata.continue ?? '')}`,
    );
    expect(namesIn(last)).toEqual(['e']);
    expect(last.metadata.continue ?? '').toBe('');
    expect(last.metadata).not.toHaveProperty('remainingItemCount');
    expect(last.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('a chunk may be asked for in another size, or without one', async () => {
    const ns = await namespace();
    await createAll(api, ns, NAMES);
    const first = await list(api, `${configMaps(ns)}?limit=1`);
    const token = encodeURIComponent(first.metadata.continue ?? '');
    expect(namesIn(await list(api, `${configMaps(ns)}?limit=3&continue=${token}`))).toEqual(['b', 'c', 'd']);
    expect(namesIn(await list(api, `${configMaps(ns)}?continue=${token}`))).toEqual(['b', 'c', 'd', 'e']);
  });

  test('with a selector the remaining count is omitted, and chunks hold what is selected', async () => {
    const ns = await namespace();
    for (const name of NAMES) {
      const labels = { odd: String(NAMES.indexOf(name) % 2) };
      expectStatus(await api.post(configMaps(ns), configMap(name, { labels })), 201);
    }
    const first = await list(api, `${configMaps(ns)}?limit=2&labelSelector=odd=0`);
    expect(namesIn(first)).toEqual(['a', 'c']);
    expect(first.metadata).not.toHaveProperty('remainingItemCount');
    const token = encodeURIComponent(first.metadata.continue ?? '');
    expect(namesIn(await list(api, `${configMaps(ns)}?limit=2&labelSelector=odd=0&continue=${token}`))).toEqual(['e']);
  });

  test('limit=0 is no limit, a limit that is no number is refused', async () => {
    const ns = await namespace();
    await createAll(api, ns, NAMES);
    expect(namesIn(await list(api, `${configMaps(ns)}?limit=0`))).toEqual(NAMES);
    expectRefusal(await api.get(`${configMaps(ns)}?limit=two`), 400, 'BadRequest');
  });

  test('continue with resourceVersion 0 is as without, with another version 400', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, NAMES);
    const first = await list(api, `${configMaps(ns)}?limit=2`);
    const next = `${configMaps(ns)}?limit=2&continue=${encodeURIComponent(first.metadata.continue ?? '')}`;
    expect(namesIn(await list(api, `${next}&resourceVersion=0`))).toEqual(['c', 'd']);
    const version = created?.metadata.resourceVersion;
    expectRefusal(await api.get(`${next}&resourceVersion=${version}`), 400, 'BadRequest');
  });

  test.each(['garbage', 'e30', '%00', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiLi4vLi4vIn0'])(
    'the token %s is refused',
    async (token) => {
      const ns = await namespace();
      expectRefusal(await api.get(`${configMaps(ns)}?limit=2&continue=${token}`), 400, 'BadRequest');
    },
  );

  test('all chunks of a collection across namespaces together are the collection', async () => {
    for (const ns of [await namespace(), await namespace()]) await createAll(api, ns, NAMES);
    const key = ({ metadata }: ApiList['items'][number]) => `${metadata.namespace}/${metadata.name}`;
    let page = await list(api, '/api/v1/configmaps?limit=3');
    const whole = await list(
      api,
      `/api/v1/configmaps?resourceVersion=${page.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );
    const collected = page.items.map(key);
    while (page.metadata.continue) {
      page = await list(api, `/api/v1/configmaps?limit=3&continue=${encodeURIComponent(page.metadata.continue)}`);
      collected.push(...page.items.map(key));
    }
    expect(collected).toEqual(whole.items.map(key));
  });
});
