import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStore } from '../contract.js';
import { HistoryExpiredError } from '../face/errors.js';
import type { TypeId } from '../face/key.js';
import type { Change, Row } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { APART, bodyOf } from '../testing/body-codec.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { TestCipher } from '../testing/test-cipher.js';
import { NO_CIPHER, UnreadableBodyError, UnreadableChangesError, UnreadableListError } from './body-cipher.js';
import { rewriteBodies } from './rewrite-bodies.js';
import { SealedStore } from './sealed-store.js';

async function underTest() {
  const server = await startTestServer();
  const schema = server.freshSchema();
  const opened: PostgresStore[] = [];
  const open = async () => {
    const inner = await openStore({ url: server.url, naming: 'orch', schema, pageRows: 200, bodies: APART });
    opened.push(inner);
    return new SealedStore(inner, new TestCipher('a'));
  };
  const store = await open();
  return {
    store,
    peer: open,
    async compact() {
      const hour = 3_600_000;
      for (const later of [0, hour, 2 * hour]) await opened[0]?.compactor.runOnce(Date.now() + later);
    },
    async dispose() {
      await Promise.all(opened.map((one) => one.close()));
      await server.dispose();
    },
  };
}

describeStore('sealed bodies', underTest);

/** Bytes that a cut body keeps: as much as says which key it is of. */
const CUT = 2;

describe('a store whose bodies are sealed', () => {
  let server: TestServer;
  let inner: PostgresStore;
  let serial = 0;

  beforeAll(async () => {
    server = await startTestServer();
    inner = await openStore({ url: server.url, naming: 'orch', schema: server.freshSchema(), bodies: APART });
  });

  afterAll(async () => {
    await inner.close();
    await server.dispose();
  });

  const freshName = () => ({ group: '', resource: `secrets${++serial}` });
  const at = (name: string) => ({ namespace: 'ns', name });
  const text = (name: string) => `{"metadata":{"name":"${name}"}}`;

  /** Stores with these keys on a type that no other test has. */
  async function stores<const K extends readonly string[]>(...keys: K) {
    const name = freshName();
    const [type = 0] = await inner.registerTypes([name]);
    const made = keys.map((each) => new SealedStore(inner, each === '' ? NO_CIPHER : new TestCipher(each)));
    for (const each of made) await each.registerTypes([name]);
    return { name, type, made: made as { [I in keyof K]: SealedStore } };
  }

  const create = (store: SealedStore, type: TypeId, name: string, body = text(name)) =>
    store.write({ op: 'create', type, ...at(name), uid: 'u', body: Buffer.from(body), requireNamespace: false });

  async function listed(store: SealedStore, type: TypeId): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const page of (await store.snapshot({ type })).pages) rows.push(...page);
    return rows;
  }

  it('holds nothing of them, nor of their owners', async () => {
    const { type, made } = await stores('a');
    const reported: Change[] = [];
    const stop = made[0].onCommit((changes) => reported.push(...changes));
    const before = (await inner.heads([type])).get(type)?.head as bigint;
    const body = bodyOf('hush', 'owner of hush');
    await made[0].write({ op: 'create', type, ...at('x'), uid: 'u', body, requireNamespace: false });
    stop();
    for (const { body: stored } of [await inner.get(type, at('x')), ...(await inner.changes(type, before, 9))] as Row[])
      expect(stored.toString('latin1')).not.toMatch(/hush|owner/);
    expect((await made[0].get(type, at('x')))?.body).toEqual(body);
    expect(reported[0]?.body).toBe(body);
    expect(reported[0]?.sealed).toEqual((await inner.get(type, at('x')))?.body);
  });

  it('carries out what it was given before it was closed', async () => {
    const name = freshName();
    const own = await openStore({ url: server.url, naming: 'orch', schema: server.freshSchema(), bodies: APART });
    const store = new SealedStore(own, new TestCipher('a'));
    const [type = 0] = await store.registerTypes([name]);
    const made = ['x', 'y', 'z'].map((each) => create(store, type, each));
    await store.close();
    expect((await Promise.all(made)).map(({ outcome }) => outcome)).toEqual(['committed', 'committed', 'committed']);
  });

  it('tells of what the store itself deletes, as it has found it', async () => {
    const { type, made } = await stores('a', 'b');
    await create(made[0], type, 'x');
    const { body, version } = (await inner.get(type, at('x'))) as Row;
    const [reported, toOther]: [Change[], Change[]] = [[], []];
    const stops = [
      made[0].onCommit((changes) => reported.push(...changes)),
      made[1].onCommit((all) => toOther.push(...all)),
    ];
    for (let i = 0; i < 2; i++) {
      // Every second one is opened later.
      await made[0].get(type, at('x'));
      await inner.write({
        op: 'update',
        type,
        ...at('x'),
        version: (await inner.get(type, at('x')))?.version ?? version,
        body,
        terminating: false,
      });
    }
    for (const stop of stops) stop();
    expect(reported.map((change) => change.sealed)).toEqual([body, body]);
    expect(reported.map((change) => change.body.toString())).toContain(text('x'));
    expect(toOther.map((change) => change.body)).toEqual([body, body]);
  });

  it('names what it cannot read, and reads all else', async () => {
    const { name, type, made } = await stores('a', 'ba', 'a', '');
    const [first, second, old, keyless] = made;
    await create(first, type, 'x');
    await create(second, type, 'y');
    const reported = `unable to read ${name.resource} "ns/y": no key b`;
    await expect(old.get(type, at('y'))).rejects.toThrow(reported);
    const error = await listed(old, type).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadableListError);
    expect(error).toMatchObject({ message: reported, unnamed: `unable to read ${name.resource}: no key b` });
    await expect(keyless.get(type, at('x'))).rejects.toThrow(
      'it is encrypted, and this server has no --encryption-provider-config',
    );
    expect((await old.get(type, at('x')))?.body.toString()).toBe(text('x'));
    expect(await listed(second, type)).toHaveLength(2);
  });

  it('gives a snapshot without what it cannot read to who hears of that', async () => {
    const { type, made } = await stores('a', 'ba', 'p');
    const reader = new SealedStore(inner, new TestCipher('a'));
    for (const [at, store] of [made[0], made[1], made[0], made[2], made[1], made[0]].entries())
      await create(store, type, `x${at}`);
    const heard: [string, boolean, bigint][] = [];
    const onUnreadable = ({ what, passing }: UnreadableBodyError, version: bigint) =>
      void heard.push([what.key.name, passing, version]);
    const names: string[] = [];
    for await (const page of (await reader.snapshot({ type, onUnreadable })).pages)
      names.push(...page.map(({ name }) => name));
    expect(names).toEqual(['x0', 'x2', 'x5']);
    const versionOf = async (name: string) => (await inner.get(type, at(name)))?.version;
    expect(heard).toEqual([
      ['x1', false, await versionOf('x1')],
      ['x3', true, await versionOf('x3')],
      ['x4', false, await versionOf('x4')],
    ]);
  });

  it('waits for no second key of somebody who did not answer for the first', async () => {
    const { type, made } = await stores('a');
    for (let i = 0; i < 3; i++) await create(made[0], type, `x${i}`);
    let asked = 0;
    class Away extends TestCipher {
      override open(of: { group: string; resource: string }, key: { namespace: string; name: string }) {
        const failure = new UnreadableBodyError({ type: of, key, why: 'nobody answers' }, true);
        return asked++ === 0 ? Promise.reject(failure) : new Promise<Buffer>(() => undefined);
      }
    }
    const heard: UnreadableBodyError[] = [];
    const reader = new SealedStore(inner, new Away('a'));
    const { pages } = await reader.snapshot({ type, onUnreadable: (error) => void heard.push(error) });
    for await (const page of pages) expect(page).toEqual([]);
    expect(heard.map(({ what, passing }) => [what.key.name, what.why, passing])).toEqual(
      ['x0', 'x1', 'x2'].map((name) => [name, 'nobody answers', true]),
    );
  });

  it('lets nobody put the body of one object in the place of another', async () => {
    const { type, made } = await stores('a');
    await create(made[0], type, 'x');
    const row = await inner.get(type, at('x'));
    await inner.write({ op: 'create', type, ...at('y'), uid: 'u', body: row?.body as Buffer, requireNamespace: false });
    await expect(made[0].get(type, at('y'))).rejects.toThrow('it is of another object');
  });

  it('says of history that cannot be read that it has expired, up to where it can', async () => {
    const { type, made } = await stores('a', 'ba');
    const heard: UnreadableBodyError[] = [];
    const reader = new SealedStore(inner, new TestCipher('a'), { unreadableHistory: (error) => heard.push(error) });
    const before = (await inner.heads([type])).get(type)?.head as bigint;
    await create(made[0], type, 'w');
    await create(made[1], type, 'x');
    await create(made[0], type, 'y');
    const [w] = await reader.changes(type, before, 10);
    const error = await reader.changes(type, w?.version as bigint, 10).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HistoryExpiredError);
    expect(heard.map(({ message }) => message)).toEqual([expect.stringContaining('no key b')]);
    const rest = await reader.changes(type, (error as HistoryExpiredError).floor, 10);
    expect(rest.map((change) => change.name)).toEqual(['y']);
  });

  it('waits for history whose key somebody else has, who does not answer', async () => {
    const { type, made } = await stores('p', 'a');
    const before = (await inner.heads([type])).get(type)?.head as bigint;
    await create(made[0], type, 'x');
    const stalledAt: bigint[] = [];
    const stop = made[1].onStalledHistory(type, (version) => stalledAt.push(version));
    await expect(made[1].changes(type, before, 10)).rejects.toThrow(UnreadableChangesError);
    expect(stalledAt).toEqual([(await inner.get(type, at('x')))?.version]);
    stop();
    await expect(made[1].changes(type, before, 10)).rejects.toThrow(UnreadableChangesError);
    expect(stalledAt).toHaveLength(1);
  });

  it('gives its connection back where nobody reads a snapshot to its end', async () => {
    const { type, made } = await stores('a');
    await create(made[0], type, 'x');
    for (let i = 0; i < 20; i++) {
      const { pages } = await made[0].snapshot({ type });
      const iterator = pages[Symbol.asyncIterator]();
      if (i % 2) await iterator.next();
      await iterator.return?.();
    }
    expect(await listed(made[0], type)).toHaveLength(1);
  });

  it('tells what lies in another form than it would be written in', async () => {
    const { type, made } = await stores('a', 'ba', '');
    await create(made[0], type, 'x');
    expect(await Promise.all(made.map((store) => store.isOutdated(type, at('x'))))).toEqual([false, true, false]);
  });

  describe('written anew', () => {
    const rewriting = (name: { group: string; resource: string }, cipher: TestCipher, more = {}) =>
      rewriteBodies({ store: inner, cipher, types: [name], rate: 10_000, ...more });

    it('is sealed by the first key, or not at all; once', async () => {
      const { name, type, made } = await stores('-', 'a', 'ba-', '-ab');
      for (let i = 0; i < 20; i++) await create(made[i % 2] as SealedStore, type, `x${i}`);
      expect(await rewriting(name, new TestCipher('a-'))).toEqual({ current: 10, rewritten: 10, unreadable: 0 });
      expect(await rewriting(name, new TestCipher('ba'), { dryRun: true })).toMatchObject({ rewritten: 20 });
      expect(await rewriting(name, new TestCipher('ba'))).toMatchObject({ rewritten: 20 });
      expect(await rewriting(name, new TestCipher('ba'))).toEqual({ current: 20, rewritten: 0, unreadable: 0 });
      expect(await rewriting(name, new TestCipher('-b'))).toMatchObject({ rewritten: 20 });
      expect((await inner.get(type, at('x7')))?.body.toString()).toBe(text('x7'));
    });

    it('keeps versions and defaults, and that an object is on its way out', async () => {
      const { name, type, made } = await stores('a');
      const body = Buffer.from('{"metadata":{"name":"x","deletionTimestamp":"2026-01-01T00:00:00Z"}}');
      const made1 = await made[0].write({
        ...{ op: 'create', type, ...at('x'), uid: 'u', body, requireNamespace: false },
        ...{ storedVersion: 'v7', defaults: 3 },
      } as const);
      expect(made1.outcome).toBe('committed');
      await rewriting(name, new TestCipher('ba'));
      const reader = new SealedStore(inner, new TestCipher('ba'));
      expect(await reader.get(type, at('x'))).toMatchObject({ storedVersion: 'v7', defaults: 3, uid: 'u', body });
    });

    it('counts what cannot be read, and leaves it as it is', async () => {
      const { name, type, made } = await stores('a', 'c');
      await create(made[0], type, 'x');
      await create(made[1], type, 'y');
      const heard: string[] = [];
      const onUnreadable = ({ message }: Error) => heard.push(message);
      const counted = await rewriting(name, new TestCipher('ba'), { onUnreadable });
      expect(counted).toEqual({ current: 0, rewritten: 1, unreadable: 1 });
      expect(heard).toEqual([`unable to read ${name.resource} "ns/y": no key c`]);
      expect((await made[1].get(type, at('y')))?.body.toString()).toBe(text('y'));
    });

    it.each([true, false])('says of what is cut off that it cannot be read (only looked at: %s)', async (dryRun) => {
      const { name, type, made } = await stores('a');
      await create(made[0], type, 'x');
      await create(made[0], type, 'y');
      const row = (await inner.get(type, at('y'))) as Row;
      const { version } = row;
      const body = row.body.subarray(0, CUT);
      await inner.write({ op: 'update', type, ...at('y'), version, body, terminating: false });
      const counted = await rewriting(name, new TestCipher('a'), { dryRun });
      expect(counted).toEqual({ current: 1, rewritten: 0, unreadable: 1 });
    });

    it('looks again at what others write meanwhile', async () => {
      const { name, type, made } = await stores('a');
      await create(made[0], type, 'x');
      let raced = false;
      const racing = {
        ...{ registerTypes: inner.registerTypes.bind(inner), snapshot: inner.snapshot.bind(inner) },
        get: inner.get.bind(inner),
        async write(op: Parameters<PostgresStore['write']>[0]) {
          const row = await inner.get(type, at('x'));
          if (!raced && row)
            await made[0].write({
              op: 'update',
              type,
              ...at('x'),
              version: row.version,
              body: Buffer.from(text('z')),
              terminating: false,
            });
          raced = true;
          return inner.write(op);
        },
      };
      expect(await rewriting(name, new TestCipher('ba'), { store: racing })).toMatchObject({ rewritten: 1 });
      const reader = new SealedStore(inner, new TestCipher('b'));
      expect((await reader.get(type, at('x')))?.body.toString()).toBe(text('z'));
    });
  });
});
