import type { ObjectName } from '@orch/authentication';
import type { FeedSink, Following } from '@orch/feed';
import { STALL_MS } from '@orch/informers';
import type { Endpoint } from '@orch/resources';
import { ManualClock } from '@orch/runtime/testing';
import { type Change, type Row, type SnapshotRequest, UnreadableBodyError } from '@orch/storage';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BoundObjectCache, type BoundObjectCacheOptions } from './bound-object-cache.js';

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT: ObjectName = { kind: 'ServiceAccount', namespace: 'ns', name: 'robot' };
const SECRET: ObjectName = { kind: 'Secret', namespace: 'ns', name: 'held' };

let api: TestApi;
let open: (more?: Partial<BoundObjectCacheOptions>) => BoundObjectCache;
let objects: BoundObjectCache;
let stored: Map<string, object>;
let reads: string[];
let lists: SnapshotRequest[];
let followed: number;
let changes: (ReadonlySet<string> | 'all')[];
let sinks: FeedSink[];
/** What a read waits for before it is answered with what was there when it began. */
let answered: Promise<void>;

beforeAll(async () => {
  api = await testApi({}, 'kubernetes');
});
afterAll(() => api.close());

beforeEach(() => {
  [stored, reads, lists, followed, changes, sinks] = [new Map(), [], [], 0, [], []];
  answered = Promise.resolve();
  const endpoint = (resource: string) => api.served.current.ofResource('', resource) as Endpoint;
  const following: Following = {
    delivered: 0n,
    confirmedAt: undefined,
    confirm: async () => 0n,
    close: () => undefined,
  };
  open = (more = {}) =>
    new BoundObjectCache({
      endpoints: { ServiceAccount: endpoint('serviceaccounts'), Secret: endpoint('secrets') },
      tokenTypes: new Set([TOKEN_TYPE]),
      store: {
        heads: async (types) => new Map(types.map((type) => [type, { head: 0n, floor: 0n }])),
        async snapshot(request) {
          lists.push(request);
          const rows = [...stored.keys()].sort().map((key) => {
            const [namespace = '', name = ''] = key.split('/');
            return { namespace, name } as Row;
          });
          const pages = (async function* () {
            for (const row of rows) if (row.name > (request.after?.name ?? '')) yield [row];
          })();
          return { version: 7n, pages };
        },
      },
      feed: {
        follow(_type, _after, sink) {
          followed++;
          sinks.push(sink);
          return following;
        },
      },
      reader: {
        async current(_type, { namespace, name }) {
          const body = stored.get(`${namespace}/${name}`);
          reads.push(name);
          await answered;
          if (body instanceof Error) throw body;
          return body && { version: 1n, storedVersion: 'v1', defaults: 0, body: Buffer.from(JSON.stringify(body)) };
        },
      },
      onChange: (keys) => changes.push(keys),
      ...more,
    });
  objects = open();
});

const put = (name: string, metadata: object, more: object = {}) =>
  stored.set(`ns/${name}`, { metadata: { name, namespace: 'ns', ...metadata }, ...more });
const tell = (name: string) => sinks[0]?.changes([{ namespace: 'ns', name } as Change]);

test('what is asked for is read once, until it changes', async () => {
  put('robot', { uid: 'a' });
  expect(await Promise.all([objects.find(ACCOUNT), objects.find(ACCOUNT)])).toEqual([{ uid: 'a' }, { uid: 'a' }]);
  const known = objects.find(ACCOUNT);
  expect(known, 'at once, and the same').toEqual({ uid: 'a' });
  expect(objects.find(ACCOUNT)).toBe(known);
  expect([reads, followed]).toEqual([['robot'], 1]);
  put('robot', { uid: 'a', deletionTimestamp: '2026-05-01T12:00:00Z' });
  tell('another');
  expect(objects.find(ACCOUNT)).toBe(known);
  tell('robot');
  expect(await objects.find(ACCOUNT)).toEqual({ uid: 'a', deletedAt: Date.parse('2026-05-01T12:00:00Z') });
  stored.clear();
  tell('robot');
  expect(await objects.find(ACCOUNT)).toBeUndefined();
  expect(changes.map((keys) => [...keys])).toEqual([
    ['ServiceAccount/ns/another'],
    ['ServiceAccount/ns/robot'],
    ['ServiceAccount/ns/robot'],
  ]);
});

test('that there is none is known until there is one', async () => {
  expect(await objects.find(ACCOUNT)).toBeUndefined();
  expect(objects.find(ACCOUNT), 'at once').toBeUndefined();
  expect(reads).toHaveLength(1);
  put('robot', { uid: 'a' });
  tell('robot');
  expect(await objects.find(ACCOUNT)).toEqual({ uid: 'a' });
});

test('a read that a change overtakes is not believed later', async () => {
  put('robot', { uid: 'a' });
  await objects.find(SECRET);
  let answer = (): void => undefined;
  answered = new Promise((resolve) => {
    answer = resolve;
  });
  const early = objects.find(ACCOUNT);
  await expect.poll(() => reads).toContain('robot');
  put('robot', { uid: 'b' });
  sinks[1]?.changes([{ namespace: 'ns', name: 'robot' } as Change]);
  answered = Promise.resolve();
  const late = objects.find(ACCOUNT);
  expect(await late).toEqual({ uid: 'b' });
  answer();
  expect(await early, 'as it was when it was asked for').toEqual({ uid: 'a' });
  expect(await objects.find(ACCOUNT)).toEqual({ uid: 'b' });
});

test('what fails is not kept', async () => {
  stored.set('ns/robot', new Error('the database does not answer'));
  await expect(objects.find(ACCOUNT)).rejects.toThrow('does not answer');
  put('robot', { uid: 'a' });
  expect(await objects.find(ACCOUNT)).toEqual({ uid: 'a' });
});

test('where the feed breaks off nothing is known, and all is judged again', async () => {
  put('robot', { uid: 'a' });
  await objects.find(ACCOUNT);
  stored.clear();
  sinks[0]?.reset('expired');
  expect(changes).toEqual(['all']);
  expect(await objects.find(ACCOUNT)).toBeUndefined();
  expect(followed, 'followed again').toBe(2);
});

test('a deletion that cannot be read for now is not waited for without end', async () => {
  const clock = new ManualClock();
  const stalls: ((at: bigint) => void)[] = [];
  const store: BoundObjectCacheOptions['store'] = {
    heads: async (types) => new Map(types.map((type) => [type, { head: 0n, floor: 0n }])),
    snapshot: () => Promise.reject(new Error('nothing is listed')),
    onStalledHistory(_type, listener) {
      stalls.push(listener);
      return () => stalls.splice(0);
    },
  };
  const known = open({ store, clock });
  put('robot', { uid: 'a' });
  expect(await known.find(ACCOUNT)).toEqual({ uid: 'a' });
  stored.clear();
  for (let passed = 0; passed < STALL_MS; passed += 1_000) {
    stalls[0]?.(1n);
    await clock.advance(1_000);
    expect(await known.find(ACCOUNT), `${passed} ms`).toEqual({ uid: 'a' });
  }
  stalls[0]?.(1n);
  expect(changes).toEqual(['all']);
  expect(await known.find(ACCOUNT)).toBeUndefined();
  expect([followed, stalls.length]).toEqual([2, 1]);
  known.stop();
  expect(stalls).toEqual([]);
});

test('of Secrets, the data of tokens alone is looked at', async () => {
  const data = { token: Buffer.from('ü').toString('base64') };
  put('held', { uid: 's' }, { type: TOKEN_TYPE, data });
  put('other', { uid: 'o' }, { type: 'Opaque', data });
  expect(await objects.find(SECRET)).toEqual({ uid: 's', type: TOKEN_TYPE, data: { token: 'ü' } });
  expect(await objects.find({ ...SECRET, name: 'other' })).toEqual({ uid: 'o' });
});

test('names that nothing can have are not asked for; kinds that are not there have nothing', async () => {
  expect(await objects.find({ ...ACCOUNT, name: 'a\0b' })).toBeUndefined();
  expect(await objects.find({ ...ACCOUNT, kind: 'Pod' })).toBeUndefined();
  expect(reads).toEqual([]);
});

test('of Secrets whose names are all known, made-up ones cost no read, before the first answer and after a break', async () => {
  const known = open({ listedSecrets: { namespace: 'ns', prefix: 'token-' } });
  const secret = (name: string) => known.find({ kind: 'Secret', namespace: 'ns', name });
  const madeUp = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => secret(`token-made-up-${n}`)));
  for (const name of ['aaa', 'token-b', 'zzz']) put(name, { uid: name }, { type: TOKEN_TYPE, data: {} });
  expect(new Set(await madeUp(3000))).toEqual(new Set([undefined]));
  expect([reads, lists.length]).toEqual([[], 1]);
  expect(await secret('token-b')).toMatchObject({ uid: 'token-b' });
  expect(await secret('zzz'), 'beside them').toMatchObject({ uid: 'zzz' });
  put('token-c', { uid: 'c' });
  const heard = (name: string, op: Change['op']) => sinks[0]?.changes([{ namespace: 'ns', name, op } as Change]);
  heard('token-c', 'create');
  expect(await secret('token-c')).toEqual({ uid: 'c' });
  heard('token-c', 'delete');
  reads.length = 0;
  expect(await secret('token-c')).toBeUndefined();
  sinks[0]?.reset('expired');
  await madeUp(3000);
  expect([reads, lists.length]).toEqual([[], 2]);
});

test('a Secret that cannot be read is one that is there', async () => {
  const unreadable = (name: string) =>
    new UnreadableBodyError(
      { type: { group: '', resource: 'secrets' }, key: { namespace: 'ns', name }, why: 'no' },
      false,
    );
  const store: BoundObjectCacheOptions['store'] = {
    heads: () => Promise.reject(new Error('its names are listed')),
    async snapshot({ onUnreadable }) {
      const pages = (async function* () {
        onUnreadable?.(unreadable('token-a'), 1n);
        yield [];
        onUnreadable?.(unreadable('zzz'), 1n);
        yield [{ namespace: 'ns', name: 'token-b' } as Row];
      })();
      return { version: 7n, pages };
    },
  };
  const known = open({ listedSecrets: { namespace: 'ns', prefix: 'token-' }, store });
  const secret = async (name: string) => known.find({ kind: 'Secret', namespace: 'ns', name });
  put('token-b', { uid: 'b' }, { type: TOKEN_TYPE, data: {} });
  stored.set('ns/token-a', unreadable('token-a'));
  expect(await secret('token-b')).toMatchObject({ uid: 'b' });
  await expect(secret('token-a')).rejects.toThrow('unable to read secrets "ns/token-a": no');
  expect(await secret('token-c')).toBeUndefined();
  expect(reads).toEqual(['token-b', 'token-a']);
});
