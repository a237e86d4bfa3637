import { type ApiObject, namesOf } from '@orch/machinery';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client } from '../client.js';
import {
  bookmark,
  event,
  failure,
  listOf,
  refuse,
  type Script,
  ScriptedServer,
  stream,
  thing,
} from '../testing/scripted-server.js';
import type { InformerSettings } from './http-reflector.js';
import { Informer } from './informer.js';

const names = namesOf('kubernetes');
const things = { group: '', version: 'v1', resource: 'things', namespace: 'ns' };
const end = { [names.initialEventsEnd]: 'true' };
const noWait = { random: () => 1, sleep: async () => {} };
let server: ScriptedServer;
let client: Client;
let informer: Informer<ApiObject> | undefined;

beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
  client = new Client(server.connection, { names, ...noWait });
});
afterEach(async () => {
  await informer?.stop();
  await client.close();
});

/** Runs an informer through the scripts until the object `until` arrives; returns what its subscriber was told. */
async function follow(scripts: readonly Script[], until: string, settings: InformerSettings = {}) {
  server.sequence(...scripts);
  const reported: string[] = [];
  const errors: unknown[] = [];
  const made = new Informer<ApiObject>(client, things, {
    ...noWait,
    onError: (error) => errors.push(error),
    ...settings,
  });
  informer = made;
  const at = ({ metadata }: ApiObject) => `${metadata?.name}@${metadata?.resourceVersion}`;
  await new Promise<void>((resolve) => {
    const tell = (line: string) => {
      reported.push(line);
      if (line.includes(until)) resolve();
    };
    made.subscribe({
      added: (object) => tell(`+${at(object)}`),
      updated: (before, after) => tell(`${at(before)}>${at(after)}`),
      deleted: (object, missed) => tell(`-${at(object)}${missed ? ' missed' : ''}`),
    });
    made.start();
  });
  await made.synced;
  return { told: reported, errors, made };
}

const queries = () =>
  server.requests.map(({ url: { searchParams: query } }) =>
    query.has('watch')
      ? `watch ${query.get('resourceVersion')}`
      : `list ${query.get('resourceVersion')} ${query.get('limit')}`,
  );
const held = (made: Informer<ApiObject>) => [...made.objects.values()].map(({ metadata }) => metadata?.name).sort();

test('lists in pages, then follows', async () => {
  const { told: reported, made } = await follow(
    [
      listOf('10', [thing('a', '1')], { continue: 'more' }),
      listOf('10', [thing('b', '2')]),
      stream(
        [
          event('MODIFIED', thing('a', '11')),
          event('DELETED', thing('b', '12')),
          bookmark('15'),
          event('ADDED', thing('z', '16')),
        ],
        'open',
      ),
    ],
    '+z',
    { pageSize: 1 },
  );
  expect(reported).toEqual(['+a@1', '+b@2', 'a@1>a@11', '-b@12', '+z@16']);
  expect(held(made)).toEqual(['a', 'z']);
  expect(made.objects.get('ns/a')?.metadata?.resourceVersion).toBe('11');
  expect(made.version).toBe('16');
  expect(made.stats).toEqual({ lists: 1, expired: 0, resumes: 0, events: 3 });
  expect(queries()).toEqual(['list 0 1', 'list null 1', 'watch 10']);
  const late: string[] = [];
  made.subscribe({ added: ({ metadata }) => late.push(metadata?.name ?? '') });
  expect(late.sort()).toEqual(['a', 'z']);
});

test('a cut stream is resumed without a list, also in mid-event', async () => {
  const { told: reported, made } = await follow(
    [
      listOf('10', [thing('a', '1')]),
      stream([event('MODIFIED', thing('a', '11')), event('ADDED', thing('b', '12')).slice(0, 40)], 'cut'),
      stream([bookmark('14')], 'end'),
      stream([event('ADDED', thing('z', '15'))], 'open'),
    ],
    '+z',
  );
  expect(reported).toEqual(['+a@1', 'a@1>a@11', '+z@15']);
  expect(made.stats).toEqual({ lists: 1, expired: 0, resumes: 2, events: 2 });
  expect(queries()).toEqual(['list 0 500', 'watch 10', 'watch 11', 'watch 14']);
});

test('410 in mid-stream: the newest state is listed and the differences are told', async () => {
  const { told: reported, made } = await follow(
    [
      listOf('10', [thing('a', '1'), thing('b', '2'), thing('c', '3')]),
      stream([event('MODIFIED', thing('a', '11')), event('ERROR', failure(410, 'Expired'))], 'open'),
      listOf('50', [thing('a', '11'), thing('c', '40'), thing('z', '50')]),
      stream([], 'open'),
    ],
    '+z',
  );
  expect(reported).toEqual(['+a@1', '+b@2', '+c@3', 'a@1>a@11', '-b@2 missed', 'c@3>c@40', '+z@50']);
  expect(made.stats).toMatchObject({ lists: 2, expired: 1 });
  expect(queries().slice(0, 3)).toEqual(['list 0 500', 'watch 10', 'list null 500']);
});

test('a watch that is refused for another reason is begun again with a list that is not older', async () => {
  const { errors } = await follow(
    [listOf('10', []), refuse(403, 'Forbidden'), listOf('12', [thing('z', '12')]), stream([], 'open')],
    '+z',
  );
  expect(errors).toMatchObject([{ code: 403 }]);
  expect(queries().slice(0, 3)).toEqual(['list 0 500', 'watch 10', 'list 10 null']);
});

test('a page that expires, a version that is too large, and a server that is away', async () => {
  const tooLarge = refuse(504, 'Timeout', {}, { causes: [{ reason: 'ResourceVersionTooLarge' }] });
  const { made } = await follow(
    [
      (_request, response) => response.destroy(),
      listOf('10', [thing('a', '1')], { continue: 'more' }),
      refuse(410, 'Expired'),
      listOf('20', [thing('a', '1'), thing('b', '2')]),
      refuse(404, 'NotFound'),
      tooLarge,
      listOf('5', [thing('z', '5')]),
      stream([], 'open'),
    ],
    '+z',
  );
  expect(held(made)).toEqual(['z']);
  expect(queries().slice(0, 7)).toEqual([
    ...['list 0 500', 'list 0 500', 'list null 500', 'list null null', 'watch 20', 'list 20 null', 'list null 500'],
  ]);
});

test('initial events from the watch: taken whole, or again', async () => {
  const { told: reported, made } = await follow(
    [
      stream([event('ADDED', thing('half', '1'))], 'cut'),
      stream([event('ADDED', thing('a', '1')), event('ADDED', thing('b', '2')), bookmark('9', end)], 'cut'),
      stream([event('ADDED', thing('z', '11'))], 'open'),
    ],
    '+z',
    { watchList: true },
  );
  expect(reported).toEqual(['+a@1', '+b@2', '+z@11']);
  expect(queries()).toEqual(['watch null', 'watch null', 'watch 9']);
  expect(made.stats).toEqual({ lists: 2, expired: 0, resumes: 1, events: 1 });
});

test('a server without initial events is listed instead', async () => {
  const { told: reported } = await follow(
    [refuse(422, 'Invalid'), listOf('10', [thing('a', '1')]), stream([event('ADDED', thing('z', '11'))], 'open')],
    '+z',
    { watchList: true },
  );
  expect(reported).toEqual(['+a@1', '+z@11']);
  expect(queries()).toEqual(['watch null', 'list 0 500', 'watch 10']);
});

test('a subscriber that throws does not keep the copy from following', async () => {
  server.sequence(listOf('10', [thing('a', '1')]), stream([event('ADDED', thing('z', '11'))], 'open'));
  const errors: unknown[] = [];
  const made = new Informer<ApiObject>(client, things, { ...noWait, onError: (error) => errors.push(error) });
  informer = made;
  const arrived = new Promise<void>((resolve) => {
    made.subscribe({
      added(object) {
        if (object.metadata?.name === 'z') resolve();
        throw new Error('subscriber');
      },
    });
  });
  made.start();
  await arrived;
  expect(made.stats.lists).toBe(1);
  expect(errors).toEqual([new Error('subscriber'), new Error('subscriber')]);
});

test('stopped before it had synced', async () => {
  server.script = () => {};
  const made = new Informer(client, things, noWait);
  made.start();
  await made.stop();
  await expect(made.synced).rejects.toThrow('stopped');
});

test('what was written before is there once it is confirmed: by a bookmark, or a list', async () => {
  const { made } = await follow(
    [
      listOf('10', [thing('z', '1')]),
      stream([bookmark('12')], 'open'),
      listOf('12', []),
      listOf('20', []),
      listOf('20', [thing('z', '1'), thing('y', '20')]),
      stream([], 'open'),
    ],
    '+z',
  );
  await expect.poll(() => made.version).toBe('12');
  // Without waits the next list follows at once.
  await made.confirm();
  expect(made.stats.lists).toBe(1);
  await made.confirm();
  expect([made.stats.lists, held(made)]).toEqual([2, ['y', 'z']]);
  expect(queries().slice(2, 5)).toEqual(['list null 1', 'list null 1', 'list null 500']);
});

test('confirming ends with the informer, also between two attempts', async () => {
  server.sequence(refuse(503, 'ServiceUnavailable'), listOf('20', []));
  const untilAborted = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  const errors: unknown[] = [];
  const made = new Informer(client, things, { sleep: untilAborted, onError: (error) => errors.push(error) });
  made.start();
  await expect.poll(() => errors.length).toBe(1);
  const confirmed = expect(made.confirm()).rejects.toThrow('stopped');
  await expect.poll(() => queries().length).toBe(2);
  await made.stop();
  await confirmed;
});

test('objects are indexed, and a resync tells all keys', async () => {
  server.sequence(
    listOf('10', [thing('a', '1'), thing('b', '2')]),
    stream([event('ERROR', failure(410, 'Expired'))], 'open'),
    listOf('50', [thing('a', '1'), thing('c', '40')]),
    stream([], 'open'),
  );
  const indexers = { version: ({ metadata }: ApiObject) => [metadata?.resourceVersion ?? ''] };
  const made = new Informer<ApiObject>(client, things, { ...noWait, indexers });
  informer = made;
  const told: string[][] = [];
  made.onChange((changed) => void told.push([...changed].sort()));
  made.start();
  await expect.poll(() => told.length).toBe(2);
  expect(told).toEqual([
    ['ns/a', 'ns/b'],
    ['ns/a', 'ns/b', 'ns/c'],
  ]);
  expect([...made.byIndex('version', '40')].map(({ metadata }) => metadata?.name)).toEqual(['c']);
  expect([...made.byIndex('version', '2')]).toEqual([]);
});
