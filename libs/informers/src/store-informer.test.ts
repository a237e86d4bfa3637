import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChangeBus, inProcessBus, OrderedFeed } from '@orch/feed';
import { ManualClock } from '@orch/runtime/testing';
import { type BodyCipher, SealedStore, type ServingStore, type TypeId, UnreadableBodyError } from '@orch/storage';
import { MemoryStore } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { STALL_MS } from './stall.js';
import { StoreInformer } from './store-informer.js';
import { PATIENCE_MS } from './store-reflector.js';
import { FIRST_LOOK_MS, LONGEST_LOOK_MS } from './unreadable-objects.js';

/** Milliseconds from one poll of the feed to the next, and what it takes to act upon it. */
const POLL_MS = 1_100;
/** Milliseconds of the longest pause of the feed between two attempts to read history. */
const FEED_RETRY_MS = 2_000;

/** Each body names its key by one letter. Who has `p` and does not lend it may answer later. */
class LetterCipher implements BodyCipher {
  constructor(public keys: string) {}
  seal(_type: unknown, _key: unknown, body: Buffer) {
    return Buffer.concat([Buffer.from([0]), Buffer.from(this.keys.slice(0, 1)), body]);
  }
  open(type: { group: string; resource: string }, key: { namespace: string; name: string }, stored: Buffer) {
    const letter = stored.toString('latin1', 1, 2);
    if (this.keys.includes(letter)) return stored.subarray(2);
    const { namespace, name } = key;
    throw new UnreadableBodyError({ type, key: { namespace, name }, why: `no key ${letter}` }, letter === 'p');
  }
  concerns = () => true;
  isCurrent = () => true;
}

const NAME = { group: '', resource: 'things' };

let clock: ManualClock;
let memory: MemoryStore;
let cipher: LetterCipher;
let leftOut: string[];
let reader: SealedStore;
let bus: ChangeBus;
let feed: OrderedFeed;
let type: TypeId;
let errors: string[];
let informer: StoreInformer<string>;
let uids: number;

beforeEach(async () => {
  clock = new ManualClock();
  memory = new MemoryStore();
  cipher = new LetterCipher('a');
  leftOut = [];
  reader = new SealedStore(memory as unknown as ServingStore, cipher, {
    leftOut: ({ what }) => void leftOut.push(what.key.name),
  });
  [type = 0] = await reader.registerTypes([NAME]);
  // Nothing is announced on it: changes are read from history, as where the body of an announcement cannot be opened.
  bus = inProcessBus();
  feed = new OrderedFeed({ source: reader, bus, clock });
  errors = [];
  uids = 0;
  informer = new StoreInformer<string>({
    ...{ source: reader, feed, type, clock },
    read: ({ body }) => body.toString(),
    onError: (error) => void errors.push((error as Error).message),
  });
});
afterEach(() => {
  void informer.stop();
  feed.close();
});

/** What another process writes, with these keys. */
const by = (keys: string, namespace = 'ns') => {
  const store = new SealedStore(memory as unknown as ServingStore, new LetterCipher(keys));
  const at = (name: string) => ({ type, namespace, name });
  const versionOf = async (name: string) => (await memory.get(type, at(name)))?.version ?? 0n;
  return {
    create: (name: string, text = name) =>
      store.write({ op: 'create', ...at(name), uid: `u${++uids}`, body: Buffer.from(text), requireNamespace: false }),
    update: async (name: string, text: string) =>
      store.write({
        ...{ op: 'update', ...at(name), version: await versionOf(name), terminating: false },
        body: Buffer.from(text),
      }),
    remove: async (name: string) =>
      store.write({ op: 'delete', ...at(name), version: await versionOf(name), body: Buffer.from('last') }),
  };
};
const known = () => Object.fromEntries([...informer.objects].map(([key, text]) => [key.slice('ns/'.length), text]));
/** In steps, so that what one brings about has begun before the next. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await clock.advance(100);
    // What takes turns with others ends, too, however slow this machine is at the moment.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  }
}

describe('objects of one namespace', () => {
  it('are the only ones, listed and watched', async () => {
    void informer.stop();
    informer = new StoreInformer<string>({
      ...{ source: reader, feed, type, clock, namespace: 'ns' },
      read: ({ body }) => body.toString(),
      onError: (error) => void errors.push((error as Error).message),
    });
    await by('a', 'other').create('w');
    await by('a').create('x');
    await informer.start();
    const changedKeys: string[] = [];
    informer.onChange((changed) => changedKeys.push(...changed));
    await by('a').create('y');
    const last = await by('a', 'other').create('z');
    await pass(POLL_MS);
    expect([...informer.objects.keys()]).toEqual(['ns/x', 'ns/y']);
    expect(changedKeys).toEqual(['ns/y']);
    expect(last).toMatchObject({ version: informer.version });
  });
});

describe('objects that cannot be opened', () => {
  it('are left out from the start, and told once', async () => {
    await by('a').create('x');
    await by('b').create('y');
    await informer.start();
    expect(known()).toEqual({ x: 'x' });
    expect([...informer.unreadable.keys()]).toEqual(['ns/y']);
    expect(errors).toEqual(['unable to read things "ns/y": no key b']);
    await pass(10 * LONGEST_LOOK_MS);
    expect(errors).toHaveLength(1);
    // It is counted each time that it is looked at, from time to time.
    expect(new Set(leftOut)).toEqual(new Set(['y']));
    expect(leftOut.length).toBeGreaterThan(5);
    expect(leftOut.length).toBeLessThan(20);
  });

  it('are known once they can be', async () => {
    await by('b').create('y');
    await informer.start();
    const told: string[] = [];
    informer.onChange((changed) => told.push(...changed));
    await pass(10 * LONGEST_LOOK_MS);
    expect(known()).toEqual({});
    cipher.keys = 'ab';
    await pass(LONGEST_LOOK_MS);
    expect(known()).toEqual({ y: 'y' });
    expect(informer.unreadable.size).toBe(0);
    expect(told).toEqual(['ns/y']);
  });

  it('take effect when they change, or go, whatever they were before', async () => {
    await by('b').create('y');
    await by('b').create('z');
    await informer.start();
    await by('a').update('y', 'again');
    await by('a').remove('z');
    await pass(POLL_MS + FIRST_LOOK_MS);
    expect(known()).toEqual({ y: 'again' });
    expect(informer.unreadable.size).toBe(0);
  });

  it('hold up no change behind theirs', async () => {
    await by('a').create('binding');
    await informer.start();
    await by('b').create('harmless');
    await by('a').remove('binding');
    await pass(2 * POLL_MS);
    expect(known()).toEqual({});
    expect([...informer.unreadable.keys()]).toEqual(['ns/harmless']);
  });

  it('are not known any more by what they said before', async () => {
    await by('a').create('binding');
    await informer.start();
    await by('b').update('binding', 'less');
    await pass(2 * POLL_MS);
    expect(known()).toEqual({});
  });

  it('are gone with a deletion whose body cannot be opened', async () => {
    await by('a').create('binding');
    await informer.start();
    await by('b').remove('binding');
    await pass(2 * POLL_MS);
    expect(known()).toEqual({});
    expect(informer.unreadable.size).toBe(0);
  });

  it('stay known where all is loaded anew and they have not changed', async () => {
    await by('a').create('binding');
    await informer.start();
    cipher.keys = 'c';
    await by('b').create('other');
    await pass(2 * POLL_MS);
    expect(known()).toEqual({ binding: 'binding' });
    expect([...informer.unreadable.keys()]).toEqual(['ns/other']);
  });
});

describe('objects whose key somebody else has, who does not answer', () => {
  const UP_TO_DATE = POLL_MS + STALL_MS + 2 * FEED_RETRY_MS;

  it('hold up changes for a while, and no deletion for longer', async () => {
    await by('a').create('binding');
    await informer.start();
    await by('p').remove('binding');
    await pass(STALL_MS);
    expect(known()).toEqual({ binding: 'binding' });
    await pass(UP_TO_DATE - STALL_MS);
    expect(known()).toEqual({});
  });

  it('are waited for where they answer in time', async () => {
    await by('a').create('x');
    await informer.start();
    await by('p').update('x', 'new');
    await pass(STALL_MS);
    cipher.keys = 'ap';
    await pass(FEED_RETRY_MS);
    expect(known()).toEqual({ x: 'new' });
    expect(memory.calls.snapshot).toBe(1);
  });

  it('are waited for at the start, and then done without', async () => {
    await by('a').create('x');
    await by('p').create('y');
    let isReady = false;
    const starting = informer.start().then(() => {
      isReady = true;
    });
    await pass(PATIENCE_MS - 1_000);
    expect(isReady).toBe(false);
    while (!isReady) await pass(1_000);
    await starting;
    expect(known()).toEqual({ x: 'x' });
    // Who comes behind has waited with them.
    const second = new StoreInformer({ source: reader, feed, type, clock, read: String, onError: () => undefined });
    await second.start();
    expect([second.objects.size, second.unreadable.size]).toEqual([1, 1]);
    await second.stop();
    cipher.keys = 'ap';
    await pass(LONGEST_LOOK_MS);
    expect(known()).toEqual({ x: 'x', y: 'y' });
  });

  it('do not keep those behind them from being known', async () => {
    for (let count = 0; count < 10; count++) await by('p').create(`a${count}`);
    await by('b').create('z');
    await Promise.all([informer.start(), pass(PATIENCE_MS + 2 * STALL_MS)]);
    expect(informer.unreadable.size).toBe(11);
    cipher.keys = 'ab';
    await pass(LONGEST_LOOK_MS);
    expect(known()).toEqual({ z: 'z' });
  });

  it('are not known by what was lost as the database went back in time while it was read', async () => {
    const rewind = new Set<() => void>();
    reader.onRewind = (listener) => {
      rewind.add(listener);
      return () => rewind.delete(listener);
    };
    await by('b').create('binding', 'nobody');
    const version = (await memory.get(type, { namespace: 'ns', name: 'binding' }))?.version as bigint;
    await by('a').update('binding', 'jane');
    await informer.start();
    expect(known()).toEqual({ binding: 'jane' });
    // Loaded anew it comes before the last write, which is not there any more.
    const snapshot = reader.snapshot.bind(reader);
    vi.spyOn(reader, 'snapshot').mockImplementationOnce(async (request) => {
      const { pages: _, ...lost } = await snapshot({ type });
      for (const listener of rewind) listener();
      async function* before(): AsyncIterable<never[]> {
        const what = { type: NAME, key: { namespace: 'ns', name: 'binding' }, why: 'no key b' };
        request.onUnreadable?.(new UnreadableBodyError(what, false), version);
        yield [];
      }
      return { ...lost, pages: before() };
    });
    memory.compactAll();
    await by('b').update('binding', 'nobody again');
    await pass(2 * POLL_MS);
    expect(known()).toEqual({});
    expect([...informer.unreadable.keys()]).toEqual(['ns/binding']);
  });

  it('keep no body in memory', async () => {
    await by('b').create('y');
    await informer.start();
    expect([...informer.unreadable.values()].map(({ what }) => what.key)).toEqual([{ namespace: 'ns', name: 'y' }]);
  });

  it('do not fail who asks for what was committed: what can be read of it is known then', async () => {
    await informer.start();
    await by('p').create('x');
    await by('a').create('y');
    const confirmed = informer.confirm();
    await pass(3 * STALL_MS);
    expect(await confirmed).toBeGreaterThan(0n);
    expect(known()).toEqual({ y: 'y' });
  });
});
