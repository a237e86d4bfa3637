import { expect, it } from 'vitest';
import { body, key, type Rig, versionOf } from './rig.js';

/** Tests of single writes: their effects and their refusals. */
export function describeWrites(rig: Rig): void {
  const { freshType, create, update, remove } = rig;

  it('creates, reads, updates and deletes, each once', async () => {
    const type = await freshType();
    const a = key('a');
    expect(await rig.store.get(type, a)).toBeUndefined();
    const v1 = versionOf(await create(type, a, 'one'));
    expect(await rig.store.get(type, a)).toEqual({
      ...a,
      uid: 'u-1',
      version: v1,
      storedVersion: '',
      defaults: 0,
      body: body('one'),
    });
    expect(await create(type, a)).toEqual({ outcome: 'already-exists' });
    const v2 = versionOf(await update(type, a, v1, 'two'));
    expect(v2).toBeGreaterThan(v1);
    expect(await update(type, a, v1, 'three')).toEqual({ outcome: 'conflict', version: v2 });
    expect(await remove(type, a, v1)).toEqual({ outcome: 'conflict', version: v2 });
    expect((await rig.store.get(type, a))?.body).toEqual(body('two'));
    expect(versionOf(await remove(type, a, v2))).toBeGreaterThan(v2);
    expect(await rig.store.get(type, a)).toBeUndefined();
    expect(await update(type, a, v2, 'four')).toEqual({ outcome: 'not-found' });
    expect(await remove(type, a, v2)).toEqual({ outcome: 'not-found' });
  });

  it('keeps types, namespaces and names apart', async () => {
    const [one, two] = [await freshType(), await freshType()];
    for (const type of [one, two]) {
      for (const k of [key('a', 'n1'), key('a', 'n2'), key('a', '')]) {
        expect((await create(type, k, `${type}${k.namespace}`)).outcome).toBe('committed');
      }
    }
    expect((await rig.store.get(two, key('a', 'n2')))?.body).toEqual(body(`${two}n2`));
  });

  it('says of every body in which version it is stored', async () => {
    const type = await freshType();
    const { head: start } = await rig.headOf(type);
    const a = { type, ...key('a'), body: body('x') };
    const creation = { ...a, op: 'create', uid: 'u', requireNamespace: false, storedVersion: 'v1beta1' } as const;
    const version = versionOf(await rig.store.write(creation));
    expect((await rig.store.get(type, a))?.storedVersion).toBe('v1beta1');
    const next = { ...a, op: 'update', version, terminating: false, storedVersion: 'v1' } as const;
    const v2 = versionOf(await rig.store.write(next));
    const v3 = versionOf(await rig.store.write({ ...a, op: 'update', version: v2, terminating: false }));
    await rig.store.write({ ...a, op: 'delete', version: v3, storedVersion: 'v2' });
    const changes = await rig.store.changes(type, start, 10);
    expect(changes.map((change) => [change.storedVersion, change.priorStoredVersion])).toEqual([
      ['v1beta1', undefined],
      ['v1', 'v1beta1'],
      ['', 'v1'],
      ['v2', ''],
    ]);
    const versions = [];
    for (const at of changes.slice(0, 3).map((change) => change.version)) {
      for await (const page of (await rig.store.snapshot({ type, at })).pages) versions.push(page[0]?.storedVersion);
    }
    expect(versions).toEqual(['v1beta1', 'v1', '']);
  });

  it('says of every body which defaults it was given', async () => {
    const type = await freshType();
    const { head: start } = await rig.headOf(type);
    const received: number[] = [];
    const stop = rig.store.onCommit((all) => {
      for (const change of all) if (change.type === type) received.push(change.defaults);
    });
    const a = { type, ...key('a'), body: body('x') };
    const creation = { ...a, op: 'create', uid: 'u', requireNamespace: false, defaults: 1 } as const;
    const version = versionOf(await rig.store.write(creation));
    expect(await rig.store.get(type, a)).toMatchObject({ defaults: 1 });
    const next = { ...a, op: 'update', version, terminating: false, defaults: 32_767 } as const;
    const v2 = versionOf(await rig.store.write(next));
    expect(await rig.store.getStale(type, a)).toMatchObject({ defaults: 32_767 });
    const v3 = versionOf(await rig.store.write({ ...a, op: 'update', version: v2, terminating: false }));
    expect(await rig.store.get(type, a)).toMatchObject({ defaults: 0 });
    await rig.store.write({ ...a, op: 'delete', version: v3, defaults: 2 });
    stop();
    const changes = await rig.store.changes(type, start, 10);
    expect(changes.map((change) => [change.defaults, change.priorDefaults])).toEqual([
      [1, undefined],
      [32_767, 1],
      [0, 32_767],
      [2, 0],
    ]);
    expect(received).toEqual([1, 32_767, 0, 2]);
    const numbers = [];
    for (const at of changes.slice(0, 3).map((change) => change.version)) {
      for await (const page of (await rig.store.snapshot({ type, at })).pages) numbers.push(page[0]?.defaults);
    }
    expect(numbers).toEqual([1, 32_767, 0]);
    const set = ['b', 'c'].map((name, i) => ({ ...creation, ...key(name), defaults: i + 5 }));
    await rig.store.writeSet(set);
    const now = [];
    for await (const page of (await rig.store.snapshot({ type })).pages)
      now.push(...page.map(({ defaults }) => defaults));
    expect(now).toEqual([5, 6]);
    for (const defaults of [-1, 1.5, 32_768, Number.NaN]) {
      await expect(rig.store.write({ ...creation, ...key('d'), defaults })).rejects.toThrow(TypeError);
    }
  });

  it('keeps any bytes', async () => {
    const type = await freshType();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const large = Buffer.alloc(1_500_000, bytes);
    for (const [name, value] of [
      ['all', bytes],
      ['empty', Buffer.alloc(0)],
      ['large', large],
    ] as const) {
      const written = await rig.store.write({
        op: 'create',
        type,
        ...key(name),
        uid: 'u',
        body: value,
        requireNamespace: false,
      });
      expect((await rig.store.get(type, key(name)))?.body.equals(value)).toBe(true);
      await rig.store.write({
        op: 'update',
        type,
        ...key(name),
        version: versionOf(written),
        body: bytes,
        terminating: false,
      });
      const history = await rig.store.changes(type, versionOf(written), 10);
      expect(history.find((change) => change.name === name)?.prior?.equals(value)).toBe(true);
    }
  });

  it('refuses names that cannot be stored, and only those', async () => {
    const type = await freshType();
    const bad = [key('a\0b'), key(''), key('x'.repeat(5000)), key('a\ud800'), key('é'.repeat(600))];
    const attempts = [...bad, key('good')].map((k) => create(type, k).catch((error: unknown) => error));
    const outcomes = await Promise.all(attempts);
    for (const outcome of outcomes.slice(0, -1)) expect(outcome).toBeInstanceOf(TypeError);
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'committed' });
  });
}
