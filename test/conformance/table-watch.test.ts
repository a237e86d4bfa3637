import { expect, test } from 'vitest';
import type { WatchStream } from '../support/watch-stream.js';
import { configMap, configMaps, conformance, createAll, expectStatus, list } from './conformance.js';

/** Returns which of the next events carry column definitions. */
async function columns(stream: WatchStream, count: number): Promise<string[]> {
  const events = await stream.take(count);
  return events.map(({ type, object }) => {
    expect(object.kind).toBe('Table');
    expect(object.rows).toHaveLength(1);
    expect(object).toHaveProperty('columnDefinitions');
    return `${type} ${object.columnDefinitions?.map(({ name }: { name: string }) => name).join(',') ?? null}`;
  });
}

conformance('Watches of tables [Table representation]', ({ api, names, namespace }) => {
  const accept = { accept: `application/json;as=Table;g=${names.metaGroup};v=v1` };
  const all = 'Name,Data,Age';

  test('say the columns with the first event, wherever the stream starts', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const { metadata } = await list(api, configMaps(ns));
    const initial = await api.watch(`${configMaps(ns)}?watch=1`, accept);
    const later = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${metadata.resourceVersion}`, accept);
    expect(await columns(initial, 2)).toEqual([`ADDED ${all}`, 'ADDED null']);
    await createAll(api, ns, ['c']);
    expect(await columns(initial, 1)).toEqual(['ADDED null']);
    expect(await columns(later, 1)).toEqual([`ADDED ${all}`]);
    const resumed = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${metadata.resourceVersion}`, accept);
    expectStatus(await api.patch(`${configMaps(ns)}/a`, 'merge', { data: { a: '2' } }), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/b`), 200);
    expect(await columns(later, 2)).toEqual(['MODIFIED null', 'DELETED null']);
    expect(await columns(resumed, 3)).toEqual([`ADDED ${all}`, 'MODIFIED null', 'DELETED null']);
    for (const stream of [initial, later, resumed]) stream.close();
  });

  test('of single objects do so too', async () => {
    const ns = await namespace();
    const stream = await api.watch(`${configMaps(ns)}?watch=1&fieldSelector=metadata.name%3Done`, accept);
    expectStatus(await api.post(configMaps(ns), configMap('one')), 201);
    expectStatus(await api.post(configMaps(ns), configMap('two')), 201);
    expectStatus(await api.delete(`${configMaps(ns)}/one`), 200);
    expect(await columns(stream, 2)).toEqual([`ADDED ${all}`, 'DELETED null']);
    stream.close();
  });
});
