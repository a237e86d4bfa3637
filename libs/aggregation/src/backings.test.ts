import { type FeedSink, type Following, inProcessBus, OrderedFeed } from '@orch/feed';
import { STALL_MS } from '@orch/informers';
import { namesOf } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { ManualClock } from '@orch/runtime/testing';
import type { Change, TypeId, Version } from '@orch/storage';
import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Backings } from './backings.js';

const POLL = { timeout: 10_000, interval: 5 };
const THINGS = { namespace: 'a', name: 'things' };

let api: TestApi;
let services: Endpoint;
let endpoints: Endpoint;
beforeAll(async () => {
  api = await testApi({}, namesOf('kubernetes').profile);
  const find = (resource: string) => api.served.current.ofResource('', resource) as Endpoint;
  [services, endpoints] = [find('services'), find('endpoints')];
});
let backings: Backings;
afterEach(() => backings.stop());

/** Services that are there, by name, and what reads them; the feed is told of changes by hand. */
function followed() {
  const sinks = new Map<TypeId, FeedSink>();
  const stored = new Map<string, object>();
  const reads: string[] = [];
  const clock = new ManualClock();
  const stalls = new Map<TypeId, (at: Version) => void>();
  let changes = 0;
  let failing = false;
  const following: Following = {
    delivered: 0n,
    confirmedAt: undefined,
    confirm: async () => 0n,
    close: () => undefined,
  };
  backings = new Backings({
    services,
    endpoints,
    clock,
    store: {
      heads: async (types) => new Map(types.map((type) => [type, { head: 0n, floor: 0n }])),
      onStalledHistory(type, listener) {
        stalls.set(type, listener);
        return () => stalls.delete(type);
      },
    },
    feed: {
      follow(type, _after, sink) {
        sinks.set(type, sink);
        return following;
      },
    },
    reader: {
      async current(type, { namespace, name }) {
        if (failing) throw new Error('the database is not there');
        if (type !== services.type) return undefined;
        reads.push(`${namespace}/${name}`);
        const body = stored.get(`${namespace}/${name}`);
        return body && { version: 1n, storedVersion: 'v1', defaults: 0, body: Buffer.from(JSON.stringify(body)) };
      },
    },
    onChange: () => {
      changes++;
    },
    onError: () => undefined,
  });
  return {
    stored,
    reads,
    changes: () => changes,
    fail: (does: boolean) => {
      failing = does;
    },
    changed: (name: string) => sinks.get(services.type)?.changes([{ namespace: 'a', name } as Change]),
    clock,
    stall: () => stalls.get(services.type)?.(1n),
    reset: () => sinks.get(services.type)?.reset('expired'),
    clusterIP: () => backings.of(THINGS)?.service?.spec?.clusterIP,
  };
}

const service = (clusterIP: string) => ({ metadata: { name: 'things', namespace: 'a' }, spec: { clusterIP } });

describe('a service that a registration names', () => {
  it('is known once it was read, and read again when it changes, and no other is', async () => {
    const { stored, reads, changed, clusterIP, changes } = followed();
    expect(backings.of(THINGS)).toBeUndefined();
    backings.want([THINGS]);
    await expect.poll(() => backings.of(THINGS), POLL).toEqual({ service: undefined, endpoints: undefined });
    stored.set('a/things', service('10.0.0.1'));
    changed('others');
    changed('things');
    await expect.poll(clusterIP, POLL).toBe('10.0.0.1');
    expect([new Set(reads), changes()]).toEqual([new Set(['a/things']), 2]);
    backings.want([]);
    expect(backings.of(THINGS)).toBeUndefined();
  });

  it('is read anew where a change that cannot be opened holds up the others for long', async () => {
    const { clock, stored, stall, clusterIP } = followed();
    backings.want([THINGS]);
    await expect.poll(() => backings.of(THINGS), POLL).toBeDefined();
    stored.set('a/things', service('10.0.0.1'));
    stall();
    await clock.advance(STALL_MS);
    expect(clusterIP()).toBeUndefined();
    stall();
    await expect.poll(clusterIP, POLL).toBe('10.0.0.1');
  });

  it('is read anew where the feed has lost its way, and where it could not be read', async () => {
    const { stored, reset, fail, clusterIP } = followed();
    fail(true);
    backings.want([THINGS]);
    stored.set('a/things', service('10.0.0.1'));
    fail(false);
    await expect.poll(clusterIP, POLL).toBe('10.0.0.1');
    stored.set('a/things', service('10.0.0.2'));
    reset();
    await expect.poll(clusterIP, POLL).toBe('10.0.0.2');
  });

  it('is followed from where its kind stands, however far others have come', async () => {
    await api.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'newer' } });
    const resets: string[] = [];
    const observer = { reset: (_type: TypeId, reason: string) => resets.push(reason) };
    const feed = new OrderedFeed({ source: api.store, bus: inProcessBus(), pollInterval: 20, observer });
    const place = { namespace: 'default', name: 'things' };
    const { store } = api;
    const [onChange, onError] = [() => undefined, () => undefined];
    backings = new Backings({ services, endpoints, store, feed, reader: api.deps.reader, onChange, onError });
    backings.want([place]);
    await expect.poll(() => backings.of(place), POLL).toEqual({ service: undefined, endpoints: undefined });
    const ports = [{ port: 80 }];
    await api.create('services', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'things' }, spec: { ports } });
    await expect.poll(() => backings.of(place)?.service?.spec?.ports, POLL).toMatchObject(ports);
    expect(resets).toEqual([]);
    feed.close();
  });
});
