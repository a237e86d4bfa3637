import { UnreadableBodyError } from '@orch/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { CacheNotReadyError, ExpiredError, VersionNotReachedError } from './errors.js';
import { selecting, TestSink, testEncoder } from './testing/fixtures.js';
import { Rig, type RigOptions } from './testing/rig.js';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function start(options: RigOptions = {}, prepare?: (rig: Rig) => void): Promise<Rig> {
  const rig = new Rig(options, prepare);
  rigs.push(rig);
  await rig.clock.settle();
  return rig;
}

function writeSome(rig: Rig): void {
  rig.write('b/two');
  rig.write('a/one', { node: 'n1', labels: { app: 'x' } });
  rig.write('a/three', { node: 'n2' });
}

describe('reads', () => {
  it('come from the snapshot and what followed', async () => {
    const rig = await start({}, writeSome);
    rig.write('a/two', { node: 'n1' });
    rig.write('a/three', 'deleted');
    const names = rig.cache
      .list({})
      .pages.flat()
      .map(({ namespace, name, version }) => `${namespace}/${name}@${version}`);
    expect(names).toEqual(['a/one@2', 'a/two@4', 'b/two@1']);
    expect(rig.cache.version).toBe(5n);
    expect(rig.cache.get({ namespace: 'a', name: 'three' })).toBeUndefined();
    expect(rig.source.calls.snapshot).toBe(1);
  });

  it('select by field, label and name, and page', async () => {
    const rig = await start({}, writeSome);
    const list = (request: Parameters<typeof rig.cache.list>[0]) => {
      const { pages, remaining } = rig.cache.list(request);
      return [pages.flat().map(({ namespace, name }) => `${namespace}/${name}`), remaining];
    };
    const onNode = { selection: selecting({ 'field:spec.nodeName': 'n1' }) };
    expect(list(onNode)).toEqual([['a/one'], 0]);
    rig.write('a/one', { node: 'n2' });
    rig.write('b/four', { node: 'n1' });
    expect(list(onNode)).toEqual([['b/four'], 0]);
    expect(list({ selection: selecting({ 'label:app': 'x' }) })).toEqual([[], 0]);
    expect(list({ namespace: 'b', selection: selecting({ 'field:metadata.name': 'two' }) })).toEqual([['b/two'], 0]);
    expect(list({ limit: 2 })).toEqual([['a/one', 'a/three'], 2]);
    expect(list({ limit: 2, after: { namespace: 'a', name: 'three' } })).toEqual([['b/four', 'b/two'], 0]);
    expect(list({ namespace: 'b', limit: 1, after: { namespace: 'a', name: 'one' } })).toEqual([['b/four'], 1]);
    expect(list({ limit: 1, selection: selecting({ 'field:spec.nodeName': 'n2' }) })).toEqual([['a/one'], undefined]);
  });

  it('are linearizable after confirm, though the bus is silent', async () => {
    const rig = await start();
    rig.busCut = true;
    rig.write('a/one');
    const confirmed = rig.cache.confirm();
    await rig.clock.advance(10);
    expect(await confirmed).toBe(1n);
    expect(rig.cache.version).toBe(1n);
  });

  it('wait for a version, and say when it does not come', async () => {
    const rig = await start();
    const reached = rig.cache.waitUntil(1n, 1000);
    rig.write('a/one');
    await reached;
    const failed = expect(rig.cache.waitUntil(9n, 1000)).rejects.toBeInstanceOf(VersionNotReachedError);
    await rig.clock.advance(1100);
    await failed;
  });

  it('leave nothing in the ring of a quiet type that nobody watches, once it is too old', async () => {
    const rig = await start({ ringMaxAge: 10_000 }, writeSome);
    rig.write('a/four');
    await rig.clock.advance(9_000);
    expect(rig.cache.stats().ringEvents).toBe(1);
    await rig.clock.advance(3_000);
    expect(rig.cache.stats()).toMatchObject({ ringEvents: 0, ringBytes: 0, ringFloor: 4n, watchers: 0 });
  });

  it('are refused while the state is not loaded, which is tried until it succeeds', async () => {
    const rig = await start({ loadWait: 1000 }, ({ source }) => {
      source.down = true;
    });
    expect(rig.cache.ready()).toBe(false);
    expect(() => rig.cache.list({})).toThrow(CacheNotReadyError);
    const refused = expect(rig.watch()).rejects.toBeInstanceOf(CacheNotReadyError);
    await rig.clock.advance(1100);
    await refused;
    rig.source.down = false;
    await rig.clock.advance(5000);
    expect(rig.cache.ready()).toBe(true);
  });
});

describe('bodies that cannot be decrypted', () => {
  const unreadable = (passing: boolean) => {
    const what = { type: { group: '', resource: 'x' }, key: { namespace: 'a', name: 'one' }, why: 'no answer' };
    return new UnreadableBodyError(what, passing);
  };

  it('are told at once, where a key is lacking', async () => {
    const rig = await start({}, ({ source }) => {
      source.failure = unreadable(false);
    });
    await expect(rig.watch()).rejects.toMatchObject({ cause: rig.source.failure });
  });

  it('are waited for, where a service has the key that may be back in a moment', async () => {
    const rig = await start({}, (prepared) => {
      writeSome(prepared);
      prepared.source.failure = unreadable(true);
    });
    const watching = rig.watch();
    await rig.clock.advance(1000);
    rig.source.failure = undefined;
    await rig.clock.advance(1000);
    expect((await watching).sink.summary).toHaveLength(3);
  });
});

describe('the start of a watch', () => {
  it('now: the state as ADDED events, then changes', async () => {
    const rig = await start({}, writeSome);
    const { sink } = await rig.watch();
    rig.write('a/one', { node: 'n3' });
    rig.write('a/one', 'deleted');
    await rig.clock.settle();
    expect(sink.summary).toEqual([
      'ADDED a/one@2',
      'ADDED a/three@3',
      'ADDED b/two@1',
      'MODIFIED a/one@4',
      'DELETED a/one@5',
    ]);
  });

  it('now: includes what was committed before the call and announced to nobody', async () => {
    const rig = await start();
    rig.busCut = true;
    rig.write('a/one');
    const sink = new TestSink();
    const watch = rig.cache.watch({
      encoder: testEncoder,
      from: { at: 'now' },
      initialEvents: 'legacy',
      bookmarks: false,
      sink,
    });
    await rig.clock.advance(10);
    await watch;
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/one@1']);
  });

  it('writes nothing before the promise has resolved and the turn is over', async () => {
    const rig = await start({}, writeSome);
    const sink = new TestSink();
    await rig.cache.watch({
      encoder: testEncoder,
      from: { at: 'any' },
      initialEvents: 'legacy',
      bookmarks: false,
      sink,
    });
    expect(sink.pieces).toEqual([]);
  });

  it('any: asks the database nothing', async () => {
    const rig = await start({}, writeSome);
    const before = { ...rig.source.calls };
    const { sink } = await rig.watch({ from: { at: 'any' } });
    expect(sink.summary).toHaveLength(3);
    expect(rig.source.calls).toEqual(before);
  });

  it('after a version: only what came later', async () => {
    const rig = await start();
    writeSome(rig);
    const { sink } = await rig.watch({ from: { after: 2n } });
    expect(sink.summary).toEqual(['ADDED a/three@3']);
  });

  it('after a version below the ring: from the database, transitions right', async () => {
    const rig = await start({}, (each) => {
      writeSome(each);
      each.write('a/one', { node: 'n2', labels: { app: 'x' } });
      each.write('a/three', { node: 'n1' });
    });
    rig.write('a/three', 'deleted');
    const { sink } = await rig.watch({
      from: { after: 1n },
      selection: selecting({ 'field:spec.nodeName': 'n1' }),
    });
    expect(sink.summary).toEqual(['ADDED a/one@2', 'DELETED a/one@4', 'ADDED a/three@5', 'DELETED a/three@6']);
    expect(sink.events[1]?.body).toContain('"node":"n1"');
  });

  it('after a version below the ring: many who come back at once cost one query', async () => {
    const rig = await start({}, writeSome);
    const before = rig.source.calls.changes;
    const watches = await Promise.all(Array.from({ length: 50 }, () => rig.watch({ from: { after: 1n } })));
    for (const { sink } of watches) expect(sink.summary).toEqual(['ADDED a/one@2', 'ADDED a/three@3']);
    expect(rig.source.calls.changes - before).toBe(1);
  });

  it('after a version below the floor: refused before the stream starts', async () => {
    const rig = await start({}, (each) => {
      writeSome(each);
      each.source.compact(1, 2n);
    });
    await expect(rig.watch({ from: { after: 1n } })).rejects.toBeInstanceOf(ExpiredError);
  });

  it('after a version of the future: waits for it, and never shows an older event', async () => {
    const rig = await start({}, writeSome);
    // Another type has drawn it.
    rig.source.drawn = 5n;
    const { sink } = await rig.watch({ from: { after: 5n }, bookmarks: true });
    rig.write('a/four');
    rig.write('a/five');
    await rig.clock.advance(1_000);
    expect(sink.summary).toEqual([]);
    rig.write('a/six');
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/six@6']);
  });

  it('after a version that nobody has drawn: refused, for it is of another history', async () => {
    const rig = await start({}, writeSome);
    for (const after of [4n, 1_000n]) {
      await expect(rig.watch({ from: { after } })).rejects.toBeInstanceOf(ExpiredError);
    }
    const { sink } = await rig.watch({ from: { after: 3n } });
    rig.write('a/four');
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/four@4']);
  });

  it('streaming: the state, then a bookmark that says so', async () => {
    const rig = await start({}, writeSome);
    const { sink } = await rig.watch({ initialEvents: 'stream', bookmarks: true, namespace: 'a' });
    rig.write('a/four');
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/one@2', 'ADDED a/three@3', 'BOOKMARK@3 end', 'ADDED a/four@4']);
  });

  it('streaming, not older than a version that does not come: refused', async () => {
    const rig = await start();
    const refused = expect(
      rig.cache.watch({
        encoder: testEncoder,
        from: { after: 9n },
        initialEvents: 'stream',
        bookmarks: true,
        sink: new TestSink(),
      }),
    ).rejects.toBeInstanceOf(VersionNotReachedError);
    await rig.clock.advance(3100);
    await refused;
  });

  it('without initial events, now', async () => {
    const rig = await start({}, writeSome);
    const { sink } = await rig.watch({ initialEvents: 'none' });
    rig.write('a/four');
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/four@4']);
  });
});

describe('selections', () => {
  it('make entering an addition and leaving a deletion of the old state', async () => {
    const rig = await start({}, writeSome);
    const { sink } = await rig.watch({ initialEvents: 'none', selection: selecting({ 'label:app': 'x' }) });
    rig.write('a/one', { labels: { app: 'y' } });
    rig.write('b/two', { labels: { app: 'x' } });
    rig.write('b/two', { labels: { app: 'x' }, content: 'more' });
    rig.write('a/three', { labels: { app: 'y' } });
    rig.write('b/two', 'deleted');
    await rig.clock.settle();
    expect(sink.summary).toEqual(['DELETED a/one@4', 'ADDED b/two@5', 'MODIFIED b/two@6', 'DELETED b/two@8']);
    expect(sink.events[0]?.body).toBe('{"node":"n1","labels":{"app":"x"}}');
  });

  it('are evaluated only for the audiences that an event may concern', async () => {
    const rig = await start();
    let evaluated = 0;
    for (let node = 0; node < 50; node++) {
      const { equals, key } = selecting({ 'field:spec.nodeName': `n${node}` });
      const selection = { key, ...(equals === undefined ? {} : { equals }), matches: () => ++evaluated > 0 };
      await rig.watch({ initialEvents: 'none', selection });
    }
    evaluated = 0;
    rig.write('a/one', { node: 'n7' });
    expect(evaluated).toBe(1);
    rig.write('a/one', { node: 'n8' });
    expect(evaluated).toBe(5);
  });
});

describe('resets', () => {
  it('expired: streams end with an error, the state is loaded anew, later watches work', async () => {
    const rig = await start({}, writeSome);
    const { sink } = await rig.watch({ initialEvents: 'none' });
    rig.source.drawn = 6n;
    const { sink: future } = await rig.watch({ from: { after: 6n } });
    rig.busCut = true;
    rig.write('a/four');
    rig.write('a/five');
    rig.source.compact(1, 5n);
    await rig.clock.advance(1100);
    expect(sink.summary).toEqual(['ERROR expired']);
    expect(sink.ended).toBe(true);
    expect(rig.cache.version).toBe(5n);
    rig.busCut = false;
    rig.write('a/six');
    rig.write('a/seven');
    await rig.clock.settle();
    expect(future.summary).toEqual(['ADDED a/seven@7']);
  });

  it('rewound: every stream ends with an error', async () => {
    const rig = await start({}, writeSome);
    const { sink } = await rig.watch({ initialEvents: 'none' });
    rig.source.drawn = 6n;
    const { sink: future } = await rig.watch({ from: { after: 6n } });
    rig.source.rewind(1, 1n, true);
    await rig.clock.settle();
    expect([sink.summary, future.summary]).toEqual([['ERROR expired'], ['ERROR expired']]);
    expect(rig.cache.list({}).pages.flat()).toHaveLength(1);
  });

  it('expired: a stream that waits for a version ends, when what follows that is not in the new ring', async () => {
    const rig = await start({}, writeSome);
    rig.source.drawn = 6n;
    const { sink } = await rig.watch({ from: { after: 6n } });
    rig.busCut = true;
    for (const name of ['four', 'five', 'six', 'seven']) rig.write(`a/${name}`);
    rig.source.compact(1, 7n);
    await rig.clock.advance(1100);
    expect(rig.cache.version).toBe(7n);
    expect(sink.summary).toEqual(['ERROR expired']);
  });

  /** History is another one behind version 1, with one change, when the cache is told. */
  function rewind(rig: Rig): void {
    rig.busCut = true;
    rig.source.rewind(1, 1n, false);
    rig.write('a/other');
    rig.source.rewind(1, 4n, true);
    rig.busCut = false;
  }

  it('have later watches read history anew', async () => {
    const rig = await start({}, writeSome);
    const { sink: before } = await rig.watch({ from: { after: 1n } });
    expect(before.summary).toEqual(['ADDED a/one@2', 'ADDED a/three@3']);
    rewind(rig);
    const { sink: after } = await rig.watch({ from: { after: 1n } });
    expect(after.summary).toEqual(['ADDED a/other@4']);
  });

  it('have a watch begin anew that was being prepared', async () => {
    const rig = await start({}, writeSome);
    const lost = await rig.source.changes(1, 1n, 100);
    let answer: (changes: typeof lost) => void = () => undefined;
    const read = rig.source.changes.bind(rig.source);
    rig.source.changes = () => {
      rig.source.changes = read;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const sink = new TestSink();
    const started = rig.watch({ from: { after: 1n }, sink });
    await rig.clock.settle();
    rewind(rig);
    await rig.clock.settle();
    expect(rig.cache.version).toBe(4n);
    answer(lost);
    await started;
    expect(sink.summary).toEqual(['ADDED a/other@4']);
  });

  it('have no later watch begin with a state from before, though others of its audience go on', async () => {
    const rig = await start({}, writeSome);
    rig.source.drawn = 9n;
    await rig.watch({ from: { after: 9n } });
    await rig.watch({ from: { at: 'any' } });
    rig.busCut = true;
    rig.write('a/four');
    rig.write('a/one', 'deleted');
    rig.source.compact(1, 5n);
    await rig.clock.advance(1100);
    const { sink } = await rig.watch({ from: { at: 'any' } });
    expect(sink.summary).toEqual(['ADDED a/four@4', 'ADDED a/three@3', 'ADDED b/two@1']);
  });

  it('let nobody go on from a version that a failover has lost', async () => {
    const rig = await start({}, writeSome);
    rig.source.lost.add(7n);
    rig.source.skip(20n);
    const { sink } = await rig.watch({ from: { after: 6n } });
    await expect(rig.watch({ from: { after: 7n } })).rejects.toBeInstanceOf(ExpiredError);
    await expect(rig.watch({ from: { after: 7n }, initialEvents: 'stream' })).rejects.toBeInstanceOf(ExpiredError);
    rig.write('a/four');
    await expect(rig.watch({ from: { after: 7n } })).rejects.toBeInstanceOf(ExpiredError);
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/four@24']);
    await expect(rig.watch({ from: { after: 7n } })).rejects.toBeInstanceOf(ExpiredError);
  });
});

describe('encoders that fail', () => {
  it('end the streams concerned and no others', async () => {
    const rig = await start();
    const { sink } = await rig.watch();
    const event = () => {
      throw new Error('no conversion');
    };
    const { sink: failing } = await rig.watch({ encoder: { ...testEncoder, key: 'failing', event } });
    rig.write('a/one');
    await rig.clock.settle();
    expect(failing.summary).toEqual(['ERROR internal']);
    expect(sink.summary).toEqual(['ADDED a/one@1']);
  });
});
