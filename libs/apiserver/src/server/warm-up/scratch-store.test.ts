import type { CreateOp, UpdateOp } from '@orch/storage';
import { describe, expect, test } from 'vitest';
import { ScratchStore } from './scratch-store.js';

const KEY = { namespace: 'default', name: 'a' };
const create = (name = 'a'): CreateOp => ({
  ...{ op: 'create', type: 1, ...KEY, name, uid: `uid-${name}`, body: Buffer.from('{}') },
  requireNamespace: true,
});
const update = (version: UpdateOp['version'], body = '{"n":1}'): UpdateOp => ({
  ...{ op: 'update', type: 1, ...KEY, version, body: Buffer.from(body), terminating: false },
});

describe('a store of objects that nobody else sees', () => {
  test('creates an object once, of each type and name', async () => {
    const store = new ScratchStore();
    expect(await store.write(create())).toEqual({ outcome: 'committed', version: 1n });
    expect(await store.write(create())).toEqual({ outcome: 'already-exists' });
    expect(await store.write({ ...create(), type: 2 })).toEqual({ outcome: 'committed', version: 2n });
    expect(await store.get(1, KEY)).toMatchObject({ ...KEY, uid: 'uid-a', version: 1n });
    expect(await store.getStale(1, { ...KEY, name: 'b' })).toBeUndefined();
  });

  test('replaces and deletes the version that is named, and no other', async () => {
    const store = new ScratchStore();
    expect(await store.write(update(1n))).toEqual({ outcome: 'not-found' });
    await store.write(create());
    expect(await store.write(update(9n))).toEqual({ outcome: 'conflict', version: 1n });
    expect(await store.write(update(1n))).toEqual({ outcome: 'committed', version: 2n });
    expect(await store.get(1, KEY)).toMatchObject({ uid: 'uid-a', version: 2n, body: Buffer.from('{"n":1}') });
    const gone = { op: 'delete', type: 1, ...KEY, body: Buffer.from('{}') } as const;
    expect(await store.write({ ...gone, version: 1n })).toEqual({ outcome: 'conflict', version: 2n });
    expect(await store.write({ ...gone, version: 2n })).toEqual({ outcome: 'committed', version: 3n });
    expect(await store.get(1, KEY)).toBeUndefined();
    expect(await store.lastVersion()).toBe(3n);
    expect(await store.settledHead()).toEqual({ head: 3n, floor: 0n });
  });

  test('writes all of a set, or nothing of it', async () => {
    const store = new ScratchStore();
    const outcome = await store.writeSet([create(), update('previous'), create('b')]);
    expect(outcome).toEqual({ outcome: 'committed', versions: [1n, 2n, 3n] });
    const refused = await store.writeSet([update(2n, '{"n":2}'), create('b')]);
    expect(refused).toEqual({ outcome: 'refused', item: 1, refusal: { outcome: 'already-exists' } });
    expect(await store.get(1, KEY)).toMatchObject({ version: 2n, body: Buffer.from('{"n":1}') });
  });
});
