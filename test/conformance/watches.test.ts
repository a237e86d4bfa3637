import { expect, test } from 'vitest';
import type { WatchEvent } from '../support/watch-stream.js';
import {
  configMap,
  configMaps,
  conformance,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
  farAhead,
  list,
} from './conformance.js';

const told = ({ type, object }: WatchEvent) => `${type} ${object.metadata.name} ${object.data?.a ?? ''}`.trim();

conformanceWithoutNames('Watches: where they start [Watch behavior]', ({ api, namespace }) => {
  test.each(['', '&resourceVersion=', '&resourceVersion=0'])(
    'without a version (%j) the state comes first as ADDED events, then the changes',
    async (version) => {
      const ns = await namespace();
      await createAll(api, ns, ['a', 'b']);
      await list(api, configMaps(ns));
      const stream = await api.watch(`${configMaps(ns)}?watch=1${version}`);
      expect((await stream.take(2)).map(told).sort()).toEqual(['ADDED a 1', 'ADDED b 1']);
      await createAll(api, ns, ['c']);
      expect((await stream.take(1)).map(told)).toEqual(['ADDED c 1']);
      stream.close();
    },
  );

  test('from a version come all changes after it, in order, and nothing else', async () => {
    const ns = await namespace();
    const [, second] = await createAll(api, ns, ['a', 'b']);
    await createAll(api, ns, ['c']);
    expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a: '2' } })), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/b`), 200);
    const stream = await api.watch(`${configMaps(ns)}?watch=true&resourceVersion=${second?.metadata.resourceVersion}`);
    const events = await stream.take(3);
    expect(events.map(told)).toEqual(['ADDED c 1', 'MODIFIED a 2', 'DELETED b 1']);
    const versions = events.map(({ object }) => BigInt(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(versions).size).toBe(3);
    stream.close();
  });

  test('the paths of watches from before there was a query for it are the same watches', async () => {
    const ns = await namespace();
    const [, second] = await createAll(api, ns, ['a', 'b']);
    const version = `resourceVersion=${second?.metadata.resourceVersion}`;
    const all = await api.watch(`/api/v1/watch/configmaps?${version}`);
    const collection = await api.watch(`/api/v1/watch/namespaces/${ns}/configmaps?${version}&watch=false`);
    const one = await api.watch(`/api/v1/watch/namespaces/${ns}/configmaps/b`);
    const self = await api.watch(`/api/v1/watch/namespaces/${ns}`);
    await createAll(api, ns, ['c']);
    expectStatus(await api.delete(`${configMaps(ns)}/b`), 200);
    expect((await all.until(({ object }) => object.metadata.namespace === ns)).at(-1)?.object.metadata.name).toBe('c');
    expect((await collection.take(2)).map(told)).toEqual(['ADDED c 1', 'DELETED b 1']);
    expect((await one.take(2)).map(told)).toEqual(['ADDED b 1', 'DELETED b 1']);
    expect((await self.take(1)).map(told)).toEqual([`ADDED ${ns}`]);
    for (const stream of [all, collection, one, self]) stream.close();
  });

  test('the deletion of an object carries its last state and the version of the deletion', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const { metadata } = await list(api, configMaps(ns));
    const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    const [event] = await stream.take(1);
    expect(event).toMatchObject({
      type: 'DELETED',
      object: { metadata: { uid: created?.metadata.uid }, data: { a: '1' } },
    });
    expect(BigInt(event?.object.metadata.resourceVersion ?? 0) > BigInt(created?.metadata.resourceVersion ?? 0)).toBe(
      true,
    );
    stream.close();
  });

  test('from a version that nobody has drawn, as of a history that is gone, is refused as expired', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const version = farAhead(created?.metadata.resourceVersion ?? '0');
    const stream = await api.watch(`${configMaps(ns)}?watch=1&timeoutSeconds=1&resourceVersion=${version}`);
    expect(await stream.refusal()).toMatchObject({ reason: 'Expired', code: 410 });
  });

  test.each(['abc', '-1', '1.5'])('resourceVersion=%s is refused before the stream', async (version) => {
    const stream = await api.watch(`${configMaps(await namespace())}?watch=1&resourceVersion=${version}`);
    expect([400, 422]).toContain(stream.status);
    expect(await stream.refusal()).toMatchObject({ kind: 'Status', status: 'Failure' });
  });

  test.each(['labelSelector=%28', 'fieldSelector=data.a=1', 'timeoutSeconds=soon'])('%s is refused', async (query) => {
    const stream = await api.watch(`${configMaps(await namespace())}?watch=1&${query}`);
    expect(await stream.refusal()).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
  });

  test.each(['watch=true', 'watch=TRUE', 'watch=1', 'watch'])('%s makes a GET a watch', async (query) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const stream = await api.watch(`${configMaps(ns)}?${query}&timeoutSeconds=1`);
    expect((await stream.take(1)).map(told)).toEqual(['ADDED a 1']);
    stream.close();
  });

  test.each(['watch=0', 'watch=false', 'watch=False'])('%s does not', async (query) => {
    expect(await list(api, `${configMaps(await namespace())}?${query}`)).toMatchObject({ kind: 'ConfigMapList' });
  });

  test('on the path of one resource come the events of that one', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const stream = await api.watch(`${configMaps(ns)}/b?watch=1`);
    expect((await stream.take(1)).map(told)).toEqual(['ADDED b 1']);
    expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a: '2' } })), 200);
    expectStatus(await api.put(`${configMaps(ns)}/b`, configMap('b', { data: { a: '3' } })), 200);
    expect((await stream.take(1)).map(told)).toEqual(['MODIFIED b 3']);
    stream.close();
  });

  test('timeoutSeconds ends the stream in order', async () => {
    const stream = await api.watch(`${configMaps(await namespace())}?watch=1&timeoutSeconds=1`);
    expect(await stream.rest()).toEqual([]);
  });

  test('a collection of all namespaces shows those of each', async () => {
    const [first, second] = [await namespace(), await namespace()];
    const { metadata } = await list(api, '/api/v1/configmaps');
    const stream = await api.watch(`/api/v1/configmaps?watch=1&resourceVersion=${metadata.resourceVersion}`);
    await createAll(api, first, ['a']);
    await createAll(api, second, ['b']);
    const events = await stream.until(({ object }) => object.metadata.namespace === second);
    const ours = events.filter(({ object }) => [first, second].includes(object.metadata.namespace ?? ''));
    expect(ours.map(told)).toEqual(['ADDED a 1', 'ADDED b 1']);
    stream.close();
  });
});

conformanceWithoutNames('Watches: selectors [Watch behavior]', ({ api, namespace }) => {
  test('an object that begins to match is ADDED, one that no longer does is DELETED as it was', async () => {
    const ns = await namespace();
    const { metadata } = await list(api, configMaps(ns));
    const from = `resourceVersion=${metadata.resourceVersion}`;
    const stream = await api.watch(`${configMaps(ns)}?watch=1&${from}&labelSelector=on=yes`);
    const write = (a: string, on: string) => configMap('x', { labels: { on }, data: { a } });
    expectStatus(await api.post(configMaps(ns), write('1', 'no')), 201);
    expectStatus(await api.put(`${configMaps(ns)}/x`, write('2', 'yes')), 200);
    expectStatus(await api.put(`${configMaps(ns)}/x`, write('3', 'yes')), 200);
    const left = expectStatus(await api.put(`${configMaps(ns)}/x`, write('4', 'no')), 200).json();
    expectStatus(await api.put(`${configMaps(ns)}/x`, write('5', 'no')), 200);
    expectStatus(await api.put(`${configMaps(ns)}/x`, write('6', 'yes')), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/x`), 200);
    const events = await stream.take(5);
    expect(events.map(told)).toEqual(['ADDED x 2', 'MODIFIED x 3', 'DELETED x 3', 'ADDED x 6', 'DELETED x 6']);
    expect(events[2]?.object.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
    stream.close();
  });

  test('the same holds for what lies before the start of the watch', async () => {
    const ns = await namespace();
    const { metadata } = await list(api, configMaps(ns));
    const write = (a: string, on: string) => configMap('x', { labels: { on }, data: { a } });
    expectStatus(await api.post(configMaps(ns), write('1', 'yes')), 201);
    expectStatus(await api.put(`${configMaps(ns)}/x`, write('2', 'no')), 200);
    const from = `resourceVersion=${metadata.resourceVersion}`;
    const stream = await api.watch(`${configMaps(ns)}?watch=1&${from}&labelSelector=on=yes`);
    expect((await stream.take(2)).map(told)).toEqual(['ADDED x 1', 'DELETED x 1']);
    stream.close();
  });

  test('fields select too', async () => {
    const ns = await namespace();
    const stream = await api.watch(`${configMaps(ns)}?watch=1&fieldSelector=metadata.name=b`);
    await createAll(api, ns, ['a', 'b', 'c']);
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/b`), 200);
    expect((await stream.take(2)).map(told)).toEqual(['ADDED b 1', 'DELETED b 1']);
    stream.close();
  });
});

conformance('Watches: bookmarks [Watch behavior, 6]', ({ api, namespace, names }) => {
  test('none comes unless asked for; one asked for closes a stream that ends as planned', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const { metadata } = await list(api, configMaps(ns));
    const from = `watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`;
    const [without, asked] = await Promise.all([
      api.watch(`${configMaps(ns)}?${from}`).then((stream) => stream.rest()),
      api.watch(`${configMaps(ns)}?${from}&allowWatchBookmarks=true`).then((stream) => stream.rest()),
    ]);
    expect(without).toEqual([]);
    const last = asked.at(-1);
    expect(last).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1' } });
    expect(BigInt(last?.object.metadata.resourceVersion ?? 0) >= BigInt(metadata.resourceVersion)).toBe(true);
    expect(last?.object.metadata.name ?? '').toBe('');
  });

  test('sendInitialEvents is refused while the gate WatchList is off', async () => {
    const ns = await namespace();
    const stream = await api.watch(
      `${configMaps(ns)}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    );
    expect(await stream.refusal()).toMatchObject({ reason: 'Invalid', code: 422 });
    expect(names.initialEventsEnd).toContain('initial-events-end');
  });

  test('resourceVersionMatch is for streamed lists only', async () => {
    const ns = await namespace();
    const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1`);
    expect(await stream.refusal()).toMatchObject({ reason: 'Invalid', code: 422 });
  });
});

conformance('Watches: representations [Watch event]', ({ api, names, namespace }) => {
  test('as tables: every event holds one of a row, the first also the columns', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const accept = `application/json;as=Table;g=${names.metaGroup};v=v1`;
    const stream = await api.watch(`${configMaps(ns)}?watch=1`, { accept });
    const [first, second] = await stream.take(2);
    expect(first?.object).toMatchObject({ kind: 'Table', apiVersion: `${names.metaGroup}/v1` });
    expect(first?.object.columnDefinitions).toContainEqual(expect.objectContaining({ name: 'Name', type: 'string' }));
    expect([first, second].map((event) => event?.object.rows[0].cells[0]).sort()).toEqual(['a', 'b']);
    stream.close();
  });

  test('as partial metadata: objects without their content', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const accept = `application/json;as=PartialObjectMetadata;g=${names.metaGroup};v=v1`;
    const stream = await api.watch(`${configMaps(ns)}?watch=1`, { accept });
    const [event] = await stream.take(1);
    expect(event).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } });
    expect(event?.object).not.toHaveProperty('data');
    stream.close();
  });

  test('in the binary encoding: frames with their length, of the media type for streams', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const headers = { accept: names.protobufMediaType };
    const message = await api.open('GET', `${configMaps(ns)}?watch=1&timeoutSeconds=1`, { headers });
    expect(message.headers['content-type']).toBe(`${names.protobufMediaType};stream=watch`);
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    expect(body.readUInt32BE(0)).toBe(body.length - 4);
    expect(body.subarray(4).includes('ADDED')).toBe(true);
    expect(body.subarray(4).includes(Buffer.from([0x6b, 0x38, 0x73, 0x00]))).toBe(true);
  });

  test('a media type that is not served is refused with 406', async () => {
    const ns = await namespace();
    const answer = await api.get(`${configMaps(ns)}?watch=1&timeoutSeconds=1`, { accept: 'application/cbor' });
    expectRefusal(answer, 406, 'NotAcceptable');
  });
});
