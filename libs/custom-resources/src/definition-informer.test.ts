import { inProcessBus, OrderedFeed } from '@orch/feed';
import { customVersions, STANDARD_SETTINGS } from '@orch/kinds';
import type { ApiObject, GroupResource, JsonObject } from '@orch/machinery';
import { SchemaPool } from '@orch/schema';
import type { Change } from '@orch/storage';
import { MemoryStore, type TestApi, testApi, thingDefinition } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DefinitionInformer } from './definition-informer.js';
import { type ServedDefinition, ServedDefinitions } from './served-definitions.js';

/** What is served of a definition here: nothing but an object of its own. */
type Made = { readonly of: string };

let store: MemoryStore;
let api: TestApi;
let feed: OrderedFeed;
let errors: unknown[];
/** Breaks off what the informer hears. */
let breakOff: () => void;
/** Has the informer hear of changes. */
let hear: (changes: readonly Change[]) => void;
let informer: DefinitionInformer;
let served: ServedDefinitions<Made>;
let published: ServedDefinition<Made>[];
let registered: GroupResource[];
/** Names of definitions that were made without a place for their objects. */
let untyped: string[];
let onMake: (() => void) | undefined;
beforeEach(async () => {
  store = new MemoryStore();
  api = await testApi({}, 'orch', store);
  const bus = inProcessBus();
  store.onCommit((changes) => bus.publish(changes));
  feed = new OrderedFeed({ source: store, bus });
  errors = [];
  const onError = (error: unknown) => void errors.push(error);
  informer = new DefinitionInformer({
    source: store,
    feed: {
      follow(type, after, sink) {
        const following = feed.follow(type, after, sink);
        hear = (changes) => sink.changes(changes);
        breakOff = () => {
          following.close();
          sink.reset('rewound');
        };
        return following;
      },
    },
    endpoint: api.endpoint('customresourcedefinitions'),
    onError,
  });
  published = [];
  registered = [];
  untyped = [];
  onMake = undefined;
  served = new ServedDefinitions<Made>({
    informer,
    store: {
      registerTypes(types) {
        registered.push(...types);
        return store.registerTypes(types);
      },
    },
    make({ name }, type) {
      if (name.startsWith('slow')) busyFor(5);
      if (type === undefined) untyped.push(name);
      onMake?.();
      const storage = { of: name };
      return { endpoints: [storage], storage };
    },
    publish: (changes) => {
      const names = new Set(changes.map(({ before, after }) => (after ?? before)?.definition.name));
      published = published.filter(({ definition }) => !names.has(definition.name));
      published.push(...changes.flatMap(({ after }) => after ?? []));
    },
    isBuiltIn: () => false,
    onError,
  });
});
afterEach(async () => {
  await informer.stop();
  await served.stop();
  feed.close();
  api.close();
});

const accepted = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'x',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

/** A definition whose names have been accepted. @param others names that its status tells of instead */
async function create(definition: ApiObject, others: object = {}): Promise<void> {
  const { name = '' } = definition.metadata ?? {};
  await api.create('customresourcedefinitions', definition);
  const { names } = definition.spec as { names: object };
  await api.deps.pipeline.write(api.request('UPDATE', 'customresourcedefinitions', name, { subresource: 'status' }), {
    change: (current) => ({
      ...current,
      status: { ...(current.status as object), acceptedNames: { ...names, ...others }, conditions: [accepted] },
    }),
  });
}

async function follow(): Promise<void> {
  served.start();
  await informer.start();
  await served.reached(await informer.confirm());
}

/** Keeps everybody else from their turns. */
function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const names = () => [...informer.definitions.keys()].sort();
const servedNames = () => published.map(({ definition }) => definition.name).sort();

describe('definitions', () => {
  it('are served in the place that their own names say, whatever somebody has written into their status', async () => {
    await create(thingDefinition(), { plural: 'others' });
    await follow();
    const [{ definition }] = published as [(typeof published)[number]];
    expect([definition.names.plural, definition.accepted.plural, definition.isServed]).toEqual([
      'things',
      'others',
      true,
    ]);
    // The controller is to put it right.
    expect(definition.isSettled).toBe(false);
    expect(registered).toEqual([{ group: 'example.com', resource: 'things' }]);
    const versions = customVersions(definition.read() as JsonObject, api.deps.names, {
      ...STANDARD_SETTINGS,
      pool: new SchemaPool(),
    });
    expect(versions.map(({ definition: { resource } }) => resource)).toEqual(['things']);
  });

  it('that are large and change at once leave others their turns', async () => {
    await create(thingDefinition());
    await follow();
    const [row] = store.rows(api.endpoint('customresourcedefinitions').type);
    if (!row) return expect.unreachable();
    const { body, version, ...rest } = row;
    const object = JSON.parse(body.toString());
    object.spec.names.categories = Array.from({ length: 20_000 }, (_, at) => `category${at}`);
    const large = Buffer.from(JSON.stringify(object));
    const changes = Array.from({ length: 50 }, (_, at): Change => {
      const name = `large${at}`;
      return {
        ...rest,
        type: 0,
        op: 'create',
        name,
        version: version + BigInt(at + 1),
        previous: 0n,
        body: large,
        at: 0,
      };
    });
    hear(changes);
    expect([names().length < 51, informer.confirmedAt]).toEqual([true, undefined]);
    await informer.confirm();
    expect([names().length, informer.version]).toEqual([51, version + 50n]);
    expect(informer.confirmedAt).toBeDefined();
  });

  it('of which thousands come at once leave others their turns while their kinds are made', async () => {
    for (let at = 0; at < 20; at++) await create(thingDefinition({ names: { plural: `slow${at}` } }));
    await informer.start();
    let turns = 0;
    const count = (): void => {
      turns++;
      if (published.length === 0) setImmediate(count);
    };
    setImmediate(count);
    served.start();
    await served.reached(await informer.confirm());
    expect(published).toHaveLength(20);
    expect(turns).toBeGreaterThan(4);
  });

  it('that come while others are made have a place for their objects first', async () => {
    await create(thingDefinition());
    await informer.start();
    const [row] = store.rows(api.endpoint('customresourcedefinitions').type);
    if (!row) return expect.unreachable();
    const { version, ...rest } = row;
    const body = Buffer.from(row.body.toString().replaceAll('things', 'others'));
    const more = { previous: version, version: version + 1n, type: 0, op: 'create', at: 0 } as const;
    onMake = () => {
      onMake = undefined;
      hear([{ ...rest, ...more, name: 'others.example.com', body }]);
    };
    served.start();
    await served.reached(version + 1n);
    expect([servedNames(), untyped]).toEqual([['others.example.com', 'things.example.com'], []]);
  });

  it('are known from the start, and as they change', async () => {
    await create(thingDefinition());
    await follow();
    expect([names(), servedNames()]).toEqual([['things.example.com'], ['things.example.com']]);
    await create(thingDefinition({ group: 'other.com' }));
    await api.deps.remover.remove(
      api.endpoint('customresourcedefinitions'),
      { namespace: '', name: 'things.example.com' },
      { dryRun: false },
      api.request('DELETE', 'customresourcedefinitions', 'x').caller,
    );
    await served.reached(await informer.confirm());
    expect([names(), servedNames()]).toEqual([['things.other.com'], ['things.other.com']]);
  });

  it('are read anew where the changes break off, and what is the same stays so', async () => {
    await create(thingDefinition());
    await follow();
    const [before] = published;
    store.calls.snapshot = 0;
    breakOff();
    await served.reached(await informer.confirm());
    expect(store.calls.snapshot).toBe(1);
    await create(thingDefinition({ group: 'other.com' }));
    await served.reached(await informer.confirm());
    expect(servedNames()).toEqual(['things.example.com', 'things.other.com']);
    expect(published[0]?.endpoints).toBe(before?.endpoints);
    expect(published[0]?.definition.since).toBe(before?.definition.since);
  });

  it('are followed once the database answers', async () => {
    await create(thingDefinition());
    store.down = true;
    const following = follow();
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(informer.version).toBeUndefined();
    store.down = false;
    await following;
    expect(names()).toEqual(['things.example.com']);
  });

  it('that cannot be read keep nobody from the others', async () => {
    await create(thingDefinition());
    await create(thingDefinition({ group: 'other.com' }));
    const type = api.endpoint('customresourcedefinitions').type;
    const key = { namespace: '', name: 'things.example.com' };
    const { version = 0n } = (await store.get(type, key)) ?? {};
    const body = Buffer.from('{"metadata":{');
    await store.write({ op: 'update', type, ...key, version, storedVersion: 'v1', body, terminating: false });
    await follow();
    expect([names(), errors.length]).toEqual([['things.other.com'], 1]);
  });

  it('are read whole from what is kept of them', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(10_000) } } };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
    await create(thingDefinition({ versions: [version] }));
    await follow();
    const read = published[0]?.definition.read();
    expect(read?.spec).toMatchObject({ versions: [version] });
    expect(read?.metadata).not.toHaveProperty('managedFields');
  });

  it('that wait for are told when there are no more to come', async () => {
    await follow();
    const waiting = served.reached(1_000_000n);
    await informer.stop();
    await served.stop();
    await expect(waiting).rejects.toThrow('not served any more');
    await expect(informer.confirm()).rejects.toThrow('not followed');
  });
});
