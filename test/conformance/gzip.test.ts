import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Answer, Api, ApiList } from '../support/api.js';
import { configMap, configMaps, conformanceWithoutNames, expectStatus, namesIn } from './conformance.js';

const GZIP = { 'accept-encoding': 'gzip' };
/** From here on answers are compressed. */
const THRESHOLD = 128 * 1024;

/** Creates this many ConfigMaps of about 2 KiB, named in order. */
async function fill(api: Api, namespace: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `c${String(at).padStart(4, '0')}`);
  await Promise.all(
    names.map(async (name) => {
      const data = { text: randomBytes(500).toString('hex').repeat(2) };
      expectStatus(await api.post(configMaps(namespace), configMap(name, { data })), 201);
    }),
  );
  return names;
}

const unpacked = (answer: Answer): ApiList => {
  expectStatus(answer, 200);
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(answer.headers.vary).toBe('Accept-Encoding');
  return JSON.parse(gunzipSync(answer.body).toString()) as ApiList;
};

/** Without the version of the list, which others raise who write objects of the kind elsewhere meanwhile. */
const unversioned = ({ metadata: { resourceVersion: _, ...metadata }, ...list }: ApiList) => ({ ...list, metadata });

conformanceWithoutNames('Compression [Response compression]', ({ api, namespace }) => {
  test('a list says over gzip what it says without, the first time and later, while objects change', async () => {
    const ns = await namespace();
    const names = await fill(api, ns, 700);
    for (let round = 0; round < 4; round++) {
      const changed = names[round * 150] ?? '';
      expectStatus(await api.patch(`${configMaps(ns)}/${changed}`, 'merge', { data: { round: `${round}` } }), 200);
      for (let time = 0; time < 3; time++) {
        const packed = unpacked(await api.get(configMaps(ns), GZIP));
        expect(namesIn(packed)).toEqual(names);
        expect(packed.items.find(({ metadata }) => metadata.name === changed)?.data?.round).toBe(`${round}`);
        const plain = await api.get(configMaps(ns));
        expect(plain.headers['content-encoding']).toBeUndefined();
        expect(unversioned(plain.json<ApiList>())).toEqual(unversioned(packed));
      }
    }
    expectStatus(await api.delete(`${configMaps(ns)}/${names[0]}`), 200);
    expect(namesIn(unpacked(await api.get(configMaps(ns), GZIP)))).toEqual(names.slice(1));
  });

  test('pages, lists of all namespaces and exact versions are compressed alike', async () => {
    const ns = await namespace();
    const names = await fill(api, ns, 400);
    const first = unpacked(await api.get(`${configMaps(ns)}?limit=250`, GZIP));
    const token = encodeURIComponent(first.metadata.continue ?? '');
    expectStatus(await api.delete(`${configMaps(ns)}/${names[300]}`), 200);
    const second = unpacked(await api.get(`${configMaps(ns)}?limit=250&continue=${token}`, GZIP));
    expect([...namesIn(first), ...namesIn(second)]).toEqual(names);
    for (let time = 0; time < 3; time++) {
      const all = unpacked(await api.get('/api/v1/configmaps', GZIP));
      expect(namesIn(all).filter((name) => name.startsWith('c0')).length).toBeGreaterThanOrEqual(399);
    }
    const version = first.metadata.resourceVersion;
    const exact = `${configMaps(ns)}?resourceVersionMatch=Exact&resourceVersion=${version}`;
    expect(namesIn(unpacked(await api.get(exact, GZIP)))).toEqual(names);
  });

  test('what is short is not compressed, whatever it is made of', async () => {
    const ns = await namespace();
    await fill(api, ns, 40);
    const short = expectStatus(await api.get(configMaps(ns), GZIP), 200);
    expect(short.headers['content-encoding']).toBeUndefined();
    expect(Number(short.headers['content-length'])).toBe(short.body.length);
    expect(short.body.length).toBeLessThan(THRESHOLD);
    await fill(api, await namespace(), 1);
    const data = { text: 'x'.repeat(THRESHOLD) };
    expectStatus(await api.post(configMaps(ns), configMap('large', { data })), 201);
    const packed = unpacked(await api.get(`${configMaps(ns)}?fieldSelector=metadata.name%3Dlarge`, GZIP));
    expect(namesIn(packed)).toEqual(['large']);
    const one = await api.get(`${configMaps(ns)}/large`, GZIP);
    expect(one.headers['content-encoding']).toBe('gzip');
  });

  test('a herd gets whole and equal answers', async () => {
    const ns = await namespace();
    const names = await fill(api, ns, 300);
    const answers = await Promise.all(Array.from({ length: 60 }, () => api.get(configMaps(ns), GZIP)));
    for (const answer of answers) expect(namesIn(unpacked(answer))).toEqual(names);
  });
});
