import { expect, test } from 'vitest';
import type { Api } from '../support/api.js';
import { conformanceWithoutNames, expectStatus, list, namesIn } from './conformance.js';

const OBJECTS = 700;
const WRITERS = 16;
const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

function pod(number: number, node: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: name(number), labels: { app: `a${number % 7}` } },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'i' }] },
  };
}

const name = (number: number): string => `p${String(number).padStart(4, '0')}`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** More pods than are scanned without an index, on twenty nodes that carry the namespace's name. */
async function fill(api: Api, namespace: string): Promise<void> {
  const left = numbers(OBJECTS);
  const write = async () => {
    for (let number = left.pop(); number !== undefined; number = left.pop())
      expectStatus(await api.post(pods(namespace), pod(number, `${namespace}-${number % 20}`)), 201);
  };
  // Each writer has a connection: to shake hands for one costs more than many writes.
  await Promise.all(numbers(WRITERS).map(write));
}

conformanceWithoutNames('Selectors over many objects [Field selectors, Label selectors]', ({ api, namespace }) => {
  test('find the same whatever they are answered from, while objects come, change and go', async () => {
    const ns = await namespace();
    await fill(api, ns);
    const found = async (path: string, query: string) => namesIn(await list(api, `${path}?${query}`));
    const wanted = (holds: (number: number) => boolean) => numbers(OBJECTS).filter(holds).map(name);
    const onNode = `fieldSelector=spec.nodeName%3D${ns}-7`;
    for (let time = 0; time < 2; time++) {
      expect(await found('/api/v1/pods', onNode)).toEqual(wanted((number) => number % 20 === 7));
      expect(await found(pods(ns), 'labelSelector=app%3Da3')).toEqual(wanted((number) => number % 7 === 3));
      expect(await found(pods(ns), `${onNode}&labelSelector=app%3Da3`)).toEqual(
        wanted((number) => number % 20 === 7 && number % 7 === 3),
      );
      expect(await found(pods(ns), 'fieldSelector=metadata.name%3Dp0042')).toEqual(['p0042']);
      expect(await found('/api/v1/pods', `fieldSelector=metadata.name%3Dp0042,metadata.namespace%3D${ns}`)).toEqual([
        'p0042',
      ]);
      expect(await found('/api/v1/pods', `${onNode}&limit=3`)).toEqual(['p0007', 'p0027', 'p0047']);
    }
    expectStatus(await api.patch(`${pods(ns)}/p0001`, 'merge', { metadata: { labels: { app: 'a3' } } }), 200);
    expectStatus(await api.patch(`${pods(ns)}/p0003`, 'merge', { metadata: { labels: { app: null } } }), 200);
    expectStatus(await api.delete(`${pods(ns)}/p0010?gracePeriodSeconds=0`), 200);
    const after = wanted((number) => (number % 7 === 3 || number === 1) && number !== 3 && number !== 10);
    expect(await found(pods(ns), 'labelSelector=app%3Da3')).toEqual(after);
  });

  test('give a watch its initial state and what enters and leaves', async () => {
    const ns = await namespace();
    await fill(api, ns);
    const stream = await api.watch(`${pods(ns)}?watch=1&labelSelector=app%3Da5`);
    const initial = await stream.take(100);
    expect(initial.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(
      numbers(OBJECTS)
        .filter((number) => number % 7 === 5)
        .map((number) => `ADDED ${name(number)}`),
    );
    expectStatus(await api.patch(`${pods(ns)}/p0001`, 'merge', { metadata: { labels: { app: 'a5' } } }), 200);
    expectStatus(await api.patch(`${pods(ns)}/p0005`, 'merge', { metadata: { labels: { app: 'a6' } } }), 200);
    const events = await stream.take(2);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED p0001',
      'DELETED p0005',
    ]);
    stream.close();
  });
});
