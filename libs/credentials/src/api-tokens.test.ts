import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servingOptions } from '@orch/apiserver';
import type { FeedSink } from '@orch/feed';
import { namesOf, type StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { defineOptions, silentLogger } from '@orch/runtime';
import { OpenWatches, requestInfo } from '@orch/serving';
import type { Change, TypeId } from '@orch/storage';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiTokens } from './api-tokens.js';
import { readServiceAccountKeys, type ServiceAccountKeys } from './service-account-keys.js';

const names = namesOf('kubernetes');
const NOW = Date.parse('2026-05-01T12:00:00Z');
const dir = mkdtempSync(join(tmpdir(), 'api-tokens-'));
const options = defineOptions(servingOptions).parse([`--cert-dir=${dir}`]).values;
let api: TestApi;
let keys: ServiceAccountKeys;
let tokens: ApiTokens;
let watches: OpenWatches;
let stored: Map<TypeId, Map<string, object>>;
let sinks: Map<TypeId, FeedSink>;
let failing: boolean;

const typeOf = (resource: string) => (api.served.current.ofResource('', resource) as Endpoint).type;

beforeAll(async () => {
  api = await testApi({}, 'kubernetes');
  keys = await readServiceAccountKeys(options, names);
});
afterAll(() => {
  api.close();
  rmSync(dir, { recursive: true });
});

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  failing = false;
  [stored, sinks] = [new Map(), new Map()];
  const following = { delivered: 0n, confirmedAt: undefined, confirm: async () => 0n, close: () => undefined };
  tokens = new ApiTokens({
    ...{ options, names, keys, logger: silentLogger },
    endpointOf: (resource) => api.served.current.ofResource('', resource),
    store: {
      heads: async (types) => new Map(types.map((type) => [type, { head: 0n, floor: 0n }])),
      snapshot: () => Promise.reject(new Error('nothing is listed')),
    },
    feed: {
      follow(type, _after, sink) {
        sinks.set(type, sink);
        return following;
      },
    },
    reader: {
      async current(type, { name }) {
        if (failing) throw new Error('the database does not answer');
        const body = stored.get(type)?.get(name);
        return body && { version: 1n, storedVersion: 'v1', defaults: 0, body: Buffer.from(JSON.stringify(body)) };
      },
    },
  });
  watches = new OpenWatches({ inAll: 0, perUser: 0 });
  tokens.judge(watches);
  put('serviceaccounts', 'robot', { uid: 'account' });
  put('pods', 'web', { uid: 'pod' });
});
afterEach(() => {
  tokens.stop();
  vi.useRealTimers();
});

function put(resource: string, name: string, metadata: object | undefined): void {
  const type = typeOf(resource);
  const ofType = stored.get(type) ?? new Map<string, object>();
  stored.set(type, ofType);
  if (metadata) ofType.set(name, { metadata: { name, namespace: 'ns', ...metadata } });
  else ofType.delete(name);
  sinks.get(type)?.changes([{ namespace: 'ns', name } as Change]);
}

/** A watch that was opened with a token of the pod; what it ends with, if it has. */
async function opened(): Promise<() => StatusError | undefined> {
  const account = { name: 'robot', uid: 'account' };
  const grant = { namespace: 'ns', account, pod: { name: 'web', uid: 'pod' } };
  const token = keys.issuer?.issue({ ...grant, audiences: keys.audiences, expirationSeconds: 3600 }, Date.now()) ?? '';
  const authentication = await tokens.verifiers[0]?.verify(token);
  if (!authentication) throw new Error('the token is not known');
  const request = requestInfo('GET', '/api/v1/pods', new URLSearchParams('watch=1'));
  let refusal: StatusError | undefined;
  watches.admit({ authentication, user: authentication.user, request })?.endBy((ended) => {
    refusal = ended;
  });
  return () => refusal;
}

test('a watch ends with the pod of its token, and not with others', async () => {
  const ended = await opened();
  put('pods', 'other', undefined);
  put('pods', 'web', { uid: 'pod', labels: { a: 'b' } });
  await vi.advanceTimersByTimeAsync(10);
  expect(ended()).toBeUndefined();
  put('pods', 'web', undefined);
  await vi.advanceTimersByTimeAsync(10);
  expect(ended()).toMatchObject({ code: 401, cause: { message: 'service account token has been invalidated' } });
});

test('or with another of its name', async () => {
  const ended = await opened();
  put('pods', 'web', { uid: 'another' });
  await vi.advanceTimersByTimeAsync(10);
  expect(ended()?.code).toBe(401);
});

test('one of a pod that is being deleted ends a minute after that', async () => {
  const ended = await opened();
  put('pods', 'web', { uid: 'pod', deletionTimestamp: new Date(NOW + 30_000).toISOString() });
  await vi.advanceTimersByTimeAsync(89_000);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ended()?.code).toBe(401);
});

test('what cannot be told is asked again', async () => {
  const ended = await opened();
  failing = true;
  put('serviceaccounts', 'robot', undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ended()).toBeUndefined();
  failing = false;
  await vi.advanceTimersByTimeAsync(1_100);
  expect(ended()?.code).toBe(401);
});

test('where the feed has broken off all are judged', async () => {
  const ended = await opened();
  stored.get(typeOf('serviceaccounts'))?.clear();
  sinks.get(typeOf('serviceaccounts'))?.reset('rewound');
  await vi.advanceTimersByTimeAsync(10);
  expect(ended()?.code).toBe(401);
});
