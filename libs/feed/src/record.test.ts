import type { BodyCodec, Change } from '@orch/storage';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { decodeBatch, encodeBatches, MalformedRecordError } from './record.js';

/** A version and the one before it. */
const versions = fc
  .uniqueArray(fc.bigInt(0n, 2n ** 62n - 1n), { minLength: 2, maxLength: 2 })
  .map(([a = 0n, b = 1n]) => (a < b ? { previous: a, version: b } : { previous: b, version: a }));

const rest = fc.record({
  type: fc.integer({ min: 1, max: 0x7fff_ffff }),
  op: fc.constantFrom('create', 'update', 'delete'),
  namespace: fc.string({ unit: 'grapheme' }),
  name: fc.string({ unit: 'grapheme', minLength: 1 }),
  uid: fc.uuid(),
  storedVersion: fc.constantFrom('', 'v1', 'v2alpha1'),
  defaults: fc.constantFrom(0, 1, 32_767),
  body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  at: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
});
const change: fc.Arbitrary<Change> = fc.tuple(rest, versions).map(([fields, numbers]) => ({ ...fields, ...numbers }));

describe('change records', () => {
  it('come back as they went', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (drawn) => {
        const changes = drawn.map((each) => ({ ...each, type: 7 }));
        const batches = encodeBatches(changes, 1 << 20);
        expect(batches).toHaveLength(1);
        expect(batches.flatMap((batch) => decodeBatch(batch))).toEqual(changes);
      }),
      { seed: 1 },
    );
  });

  it('are split at the limit, and only what cannot fit leaves its body behind', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 400, max: 1000 }),
        (changes, limit) => {
          const small = changes.map((each) => ({ ...each, type: 7, namespace: 'ns', name: 'n' }));
          const large = small.map((each, index) => (index === 3 ? { ...each, body: Buffer.alloc(2000) } : each));
          const batches = encodeBatches(large, limit);
          for (const payload of batches) expect(payload.length).toBeLessThanOrEqual(limit);
          const decoded = batches.flatMap((batch) => decodeBatch(batch));
          expect(decoded).toEqual(
            large.map((each, index) => (index === 3 ? { ...each, body: Buffer.alloc(0), bodyOmitted: true } : each)),
          );
        },
      ),
      { seed: 2 },
    );
  });

  it('are what the declaration says', async () => {
    const root = await protobuf.load(new URL('../../../proto/orch/feed.proto', import.meta.url).pathname);
    const declared = root.lookupType('orch.feed.ChangeBatch');
    const change: Change = {
      type: 7,
      version: 90_000_000_001n,
      previous: 5n,
      op: 'delete',
      namespace: 'ns',
      name: 'n',
      uid: 'u',
      storedVersion: 'v1',
      defaults: 3,
      body: Buffer.from('{}'),
      at: 1_700_000_000_000,
    };
    const [batch] = encodeBatches([change], 1000);
    const object = declared.toObject(declared.decode(batch ?? new Uint8Array()), {
      longs: Number,
      enums: String,
    });
    expect(object).toEqual({
      type: 7,
      changes: [
        {
          version: 90_000_000_001,
          previous: 5,
          op: 'DELETE',
          namespace: 'ns',
          name: 'n',
          uid: 'u',
          storedVersion: 'v1',
          defaults: 3,
          at: 1_700_000_000_000,
          body: Buffer.from('{}'),
        },
      ],
    });
    expect(decodeBatch(declared.encode(declared.fromObject(object)).finish())).toEqual([change]);
    const omitted = encodeBatches([{ ...change, body: Buffer.alloc(2000) }], 1000).map((payload) =>
      declared.toObject(declared.decode(payload), { longs: Number, enums: String }),
    );
    expect(omitted).toMatchObject([{ changes: [{ bodyOmitted: true }] }]);
  });

  it('take bodies as they lie in the database, and put them together again', () => {
    const halves: BodyCodec = {
      split: (body) => ({ body: body.subarray(0, 2), owners: body.length > 2 ? body.subarray(2) : null }),
      join: (body, owners) => Buffer.concat([body, owners]),
    };
    const changes = ['{}', '{}who'].map((text, i) => ({
      type: 5,
      version: BigInt(i + 2),
      previous: BigInt(i + 1),
      op: 'update' as const,
      namespace: 'a',
      name: 'n',
      uid: 'u',
      storedVersion: 'v1',
      defaults: 3,
      at: 1,
      body: Buffer.from(text),
    }));
    const [batch = new Uint8Array()] = encodeBatches(changes, 1000, false, halves);
    expect(decodeBatch(batch, halves)).toEqual(changes);
    // Nothing that is kept holds on to the message.
    const asItIs: BodyCodec = { ...halves, join: (body) => body };
    const message = Buffer.alloc(batch.length);
    message.set(batch);
    for (const codec of [halves, asItIs, undefined])
      for (const { body } of decodeBatch(message, codec)) expect(body.buffer).not.toBe(message.buffer);
    // The release before passes over what it does not know.
    expect(decodeBatch(batch).map(({ body }) => body.toString())).toEqual(['{}', '{}']);
  });

  it('say which defaults a body was given, and those that do not are of nobody knows which', () => {
    const change = {
      ...{ type: 5, version: 2n, previous: 1n, op: 'update' as const, namespace: 'a', name: 'n', uid: 'u', at: 1 },
      storedVersion: '',
      body: Buffer.from('{}'),
    };
    const lengths = [0, 1, 300].map((defaults) => {
      const [batch = new Uint8Array()] = encodeBatches([{ ...change, defaults }], 1000);
      expect(decodeBatch(batch)).toEqual([{ ...change, defaults }]);
      return batch.length;
    });
    // As the release before says it: nothing.
    expect(lengths.map((length) => length - (lengths[0] ?? 0))).toEqual([0, 2, 3]);
  });

  it('that are damaged are refused with one kind of error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeBatch(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedRecordError);
        }
      }),
      { seed: 3, numRuns: 2000 },
    );
    const [whole] = encodeBatches(
      [
        {
          type: 1,
          version: 5n,
          previous: 4n,
          op: 'create',
          namespace: 'a',
          name: 'b',
          uid: 'u',
          storedVersion: 'v1',
          defaults: 3,
          body: Buffer.from('{}'),
          at: 1,
        },
      ],
      1000,
    );
    for (let length = 3; length < (whole?.length ?? 0); length++) {
      expect(() => decodeBatch(whole?.subarray(0, length) ?? new Uint8Array())).toThrow(MalformedRecordError);
    }
  });
});
