import { expect, test } from 'vitest';
import type { StatusObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
  farAhead,
} from './conformance.js';

conformanceWithoutNames('Gets [Resource version semantics]', ({ api, namespace }) => {
  test('unset reads the newest, 0 any, N not older than N', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const updated = expectStatus(
      await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a: '2' } })),
      200,
    ).json();
    const read = async (query: string) => expectStatus(await api.get(`${configMaps(ns)}/a${query}`), 200).json();
    expect((await read('')).metadata.resourceVersion).toBe(updated.metadata.resourceVersion);
    expect((await read(`?resourceVersion=${updated.metadata.resourceVersion}`)).data).toEqual({ a: '2' });
    expect((await read(`?resourceVersion=${created?.metadata.resourceVersion}`)).data).toEqual({ a: '2' });
    expect(['1', '2']).toContain((await read('?resourceVersion=0')).data?.a);
  });

  test('a version that the server does not know yet is a timeout', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const version = farAhead(created?.metadata.resourceVersion ?? '0');
    const answer = await api.get(`${configMaps(ns)}/a?resourceVersion=${version}`);
    const status: StatusObject = expectRefusal(answer, 504, 'Timeout');
    expect(status.message).toMatch(/Too large resource version/);
  });

  test('a version that is none is refused', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    expectRefusal(await api.get(`${configMaps(ns)}/a?resourceVersion=x`), 400, 'BadRequest');
  });

  test('what is not there is 404 with its kind and name', async () => {
    const status = expectRefusal(await api.get(`${configMaps(await namespace())}/none`), 404, 'NotFound');
    expect(status.message).toBe('configmaps "none" not found');
    expect(status.details).toMatchObject({ name: 'none', kind: 'configmaps' });
  });
});
