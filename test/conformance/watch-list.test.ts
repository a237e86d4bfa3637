import { type NamingProfile, namesOf } from '@orch/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, expectStatus, farAhead } from './conformance.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const INITIAL = `${PATH}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;

describe.each<NamingProfile>(['orch', 'kubernetes'])(
  'Streaming lists, with the gate WatchList on [Watch behavior, 7] (%s)',
  (naming) => {
    const annotation = namesOf(naming).initialEventsEnd;
    let server: Standalone;
    let api: Api;

    beforeAll(async () => {
      server = await startStandalone({ naming, args: ['--feature-gates=WatchList=true'] });
      api = new Api(server);
      for (const name of ['a', 'b']) expectStatus(await api.post(PATH, configMap(name)), 201);
    });

    afterAll(async () => {
      api.close();
      await server.stop();
    });

    test.each(['', '&resourceVersion=', '&resourceVersion=0', '&resourceVersion=1'])(
      'the state comes as ADDED events, then a bookmark that closes it, then the changes (%j)',
      async (version) => {
        const stream = await api.watch(`${INITIAL}&allowWatchBookmarks=true${version}`);
        const initial = await stream.until(({ type }) => type === 'BOOKMARK');
        const names = initial.slice(0, -1).map(({ type, object }) => `${type} ${object.metadata.name}`);
        expect(names).toEqual(expect.arrayContaining(['ADDED a', 'ADDED b']));
        const end = initial.at(-1);
        expect(end?.object).toMatchObject({ kind: 'ConfigMap', metadata: { annotations: { [annotation]: 'true' } } });
        const versions = initial.map(({ object }) => BigInt(object.metadata.resourceVersion));
        expect(versions.every((one) => one <= (versions.at(-1) ?? 0n))).toBe(true);
        const name = `later-${versions.at(-1)}-${version.length}`;
        expectStatus(await api.post(PATH, configMap(name)), 201);
        // The state of version 0 may be some changes old; those come first.
        const later = await stream.until(({ object }) => object.metadata.name === name);
        expect(later.at(-1)).toMatchObject({ type: 'ADDED' });
        stream.close();
      },
    );

    test('sendInitialEvents=false with a match starts at the version with no initial events', async () => {
      const { metadata } = expectStatus(await api.get(PATH), 200).json();
      const query = 'watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
      const stream = await api.watch(`${PATH}?${query}&resourceVersion=${metadata.resourceVersion}`);
      expectStatus(await api.post(PATH, configMap('fence')), 201);
      expect((await stream.take(1))[0]?.object.metadata.name).toBe('fence');
      stream.close();
    });

    test.each([
      'watch=1&sendInitialEvents=true',
      'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1',
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    ])('%s is refused', async (query) => {
      const stream = await api.watch(`${PATH}?${query}`);
      expect(await stream.refusal()).toMatchObject({ reason: 'Invalid', code: 422 });
    });

    test('from a version that is still to come nothing is claimed', async () => {
      const { metadata } = expectStatus(await api.get(PATH), 200).json();
      const query = `&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${farAhead(metadata.resourceVersion)}`;
      const stream = await api.watch(`${INITIAL}${query}`);
      const events = stream.status === 200 ? await stream.rest() : [];
      expect(events.filter(({ object }) => object.metadata?.annotations?.[annotation])).toEqual([]);
    });
  },
);
