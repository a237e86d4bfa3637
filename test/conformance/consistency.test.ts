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

conformanceWithoutNames('Paging while writers change things [Paging]', ({ api, namespace }) => {
  const NAMES = Array.from({ length: 30 }, (_, n) => `n-${String(n).padStart(2, '0')}`);

  test('the collection version stays constant over all chunks, which together are one snapshot', async () => {
    const ns = await namespace();
    await Promise.all(NAMES.map(async (name) => expectStatus(await api.post(configMaps(ns), configMap(name)), 201)));
    const whole = await list(api, configMaps(ns));
    let page = await list(
      api,
      `${configMaps(ns)}?limit=4&resourceVersion=${whole.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );
    const collected = [...page.items];
    for (let round = 0; page.metadata.continue; round++) {
      expect(page.metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
      expect(page.metadata.remainingItemCount).toBe(NAMES.length - collected.length);
      // One behind, one ahead of the next chunk; one new at each end.
      await Promise.all([
        api.delete(`${configMaps(ns)}/${NAMES[round]}`),
        api.put(
          `${configMaps(ns)}/${NAMES[29 - round]}`,
          configMap(NAMES[29 - round] ?? '', { data: { a: 'changed' } }),
        ),
        api.post(configMaps(ns), configMap(`a-${round}`)),
        api.post(configMaps(ns), configMap(`z-${round}`)),
      ]);
      page = await list(api, `${configMaps(ns)}?limit=4&continue=${encodeURIComponent(page.metadata.continue)}`);
      collected.push(...page.items);
    }
    expect(collected).toEqual(whole.items);
    expect(page.metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
    const again = await list(
      api,
      `${configMaps(ns)}?resourceVersion=${whole.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );
    expect(again.items).toEqual(whole.items);
  });

  test('a watch from the version of a chunked list goes on where its snapshot ended', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b', 'c']);
    const first = await list(api, `${configMaps(ns)}?limit=1`);
    await createAll(api, ns, ['d']);
    const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${first.metadata.resourceVersion}`);
    expect((await stream.take(1))[0]).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'd' } } });
    stream.close();
  });

  test('a limit as large as the collection leaves no token', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    for (const limit of [2, 3, 1_000_000]) {
      const { metadata } = await list(api, `${configMaps(ns)}?limit=${limit}`);
      expect(metadata.continue ?? '').toBe('');
      expect(metadata).not.toHaveProperty('remainingItemCount');
    }
  });

  test('a token of one collection shows nothing of another', async () => {
    const [first, second] = [await namespace(), await namespace()];
    await createAll(api, first, ['a', 'b', 'c']);
    await createAll(api, second, ['a', 'b', 'c']);
    const page = await list(api, `${configMaps(first)}?limit=1`);
    const answer = await api.get(
      `${configMaps(second)}?limit=5&continue=${encodeURIComponent(page.metadata.continue ?? '')}`,
    );
    if (answer.status === 200) {
      for (const { metadata } of answer.json<ApiList>().items) expect(metadata.namespace).toBe(second);
    } else expectRefusal(answer, 400, 'BadRequest');
  });

  test('resourceVersionMatch beside continue is refused', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const { metadata } = await list(api, `${configMaps(ns)}?limit=1`);
    const token = encodeURIComponent(metadata.continue ?? '');
    for (const match of ['Exact', 'NotOlderThan']) {
      for (const version of ['', '&resourceVersion=0', `&resourceVersion=${metadata.resourceVersion}`]) {
        const answer = await api.get(
          `${configMaps(ns)}?limit=1&continue=${token}&resourceVersionMatch=${match}${version}`,
        );
        expectRefusal(answer, 422, 'Invalid');
      }
    }
  });
});

conformanceWithoutNames('Reads after writes [Resource version semantics]', ({ api, namespace }) => {
  test('Most Recent: a get and a list show every write that was answered before', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    for (let round = 0; round < 20; round++) {
      const data = { a: String(round) };
      const written = expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data })), 200).json();
      const [got, listed] = await Promise.all([api.get(`${configMaps(ns)}/a`), list(api, configMaps(ns))]);
      expect(expectStatus(got, 200).json().data).toEqual(data);
      expect(listed.items[0]?.data).toEqual(data);
      expect(BigInt(listed.metadata.resourceVersion) >= BigInt(written.metadata.resourceVersion)).toBe(true);
    }
  });

  test('Not older than: a get or list at the version of a write shows that write', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    for (let round = 0; round < 10; round++) {
      const data = { a: String(round) };
      const { metadata } = expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data })), 200).json();
      const at = `resourceVersion=${metadata.resourceVersion}`;
      expect(expectStatus(await api.get(`${configMaps(ns)}/a?${at}`), 200).json().data).toEqual(data);
      expect((await list(api, `${configMaps(ns)}?${at}&resourceVersionMatch=NotOlderThan`)).items[0]?.data).toEqual(
        data,
      );
    }
  });

  test('Exact: every version of an object can be read again', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const versions: [string, string][] = [];
    for (let round = 0; round < 8; round++) {
      const a = String(round);
      const { metadata } = expectStatus(
        await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a } })),
        200,
      ).json();
      versions.push([metadata.resourceVersion, a]);
    }
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    for (const [version, a] of versions) {
      const found = await list(api, `${configMaps(ns)}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      expect(found.metadata.resourceVersion).toBe(version);
      expect(found.items.map(({ data }) => data)).toEqual([{ a }]);
      const selected = await list(
        api,
        `${configMaps(ns)}?resourceVersion=${version}&limit=5&fieldSelector=metadata.name=a`,
      );
      expect(selected.items.map(({ metadata }) => metadata.resourceVersion)).toEqual([version]);
    }
    expect(namesIn(await list(api, configMaps(ns)))).toEqual([]);
  });

  test('a namespace that is not there lists nothing', async () => {
    expect(namesIn(await list(api, configMaps('no-such-namespace')))).toEqual([]);
  });
});

conformanceWithoutNames('Watches and versions to come [Unrecognized versions]', ({ api, namespace }) => {
  test('a watch from a version ahead of its type, drawn for another one, sends no event at or before it, and all after it', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const secret = await api.post(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' } });
    const ahead = BigInt(expectStatus(secret, 201).json().metadata.resourceVersion);
    const stream = await api.watch(`${configMaps(ns)}?watch=1&timeoutSeconds=10&resourceVersion=${ahead}`);
    expect(stream.status).toBe(200);
    const versions: bigint[] = [];
    for (let n = 0; n < 3; n++) {
      const [one] = await createAll(api, ns, [`b-${n}`]);
      versions.push(BigInt(one?.metadata.resourceVersion ?? 0));
    }
    const events = await stream.take(versions.length);
    expect(events.map(({ object }) => BigInt(object.metadata.resourceVersion))).toEqual(versions);
    expect(versions.every((version) => version > ahead)).toBe(true);
    stream.close();
  });

  test('a list at a version just ahead waits for it', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const ahead = BigInt(created?.metadata.resourceVersion ?? 0) + 3n;
    const reading = api.get(`${configMaps(ns)}?resourceVersion=${ahead}`);
    await createAll(api, ns, ['b', 'c', 'd']);
    const found = expectStatus(await reading, 200).json<ApiList>();
    expect(BigInt(found.metadata.resourceVersion) >= ahead).toBe(true);
    expect(namesIn(found)).toContain('a');
  });
});
