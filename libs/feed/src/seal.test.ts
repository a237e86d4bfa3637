import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBatch, encodeBatches } from './record.js';
import { SEAL_BYTES, Seal, type SealingKey, sealingKey } from './seal.js';

const KEY = sealingKey(0xfedc_ba98, Buffer.alloc(32, 1));
const keyOf = (id: number): SealingKey | undefined => (id === KEY.id ? KEY : undefined);
const seal = new Seal('installation');

it('lets a message through as it was', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
      const sealed = seal.put(message, KEY);
      expect(sealed).toHaveLength(message.length + SEAL_BYTES);
      expect(Buffer.from(seal.check(sealed, keyOf) as Uint8Array)).toEqual(Buffer.from(message));
    }),
    { seed: 1 },
  );
});

it('lets no message through that differs in a bit, is shorter or longer', () => {
  const sealed = seal.put(Buffer.from('some message'), KEY);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8((altered[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
    expect(seal.check(altered, keyOf)).toBeTypeOf('string');
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(seal.check(sealed.subarray(0, length), keyOf)).toBeTypeOf('string');
    expect(seal.check(sealed.subarray(sealed.length - length), keyOf)).toBeTypeOf('string');
  }
  expect(seal.check(Buffer.concat([sealed, Buffer.from([0])]), keyOf)).toBe('unsigned');
  expect(seal.check(Buffer.concat([Buffer.from([0]), sealed]), keyOf)).toBe('forged');
});

it('belongs to one installation and one key', () => {
  const sealed = seal.put(Buffer.from('x'), KEY);
  expect(new Seal('installation2').check(sealed, keyOf)).toBe('forged');
  expect(seal.check(sealed, () => undefined)).toBe('unknown-key');
  expect(seal.check(sealed, () => sealingKey(KEY.id, Buffer.alloc(32, 2)))).toBe('forged');
});

it('is skipped by servers that know no seals', () => {
  const change = {
    ...{ type: 7, version: 5n, previous: 4n, op: 'create' as const, namespace: 'a', name: 'b', uid: 'u', at: 1 },
    storedVersion: '',
    defaults: 0,
    body: Buffer.from('{}'),
  };
  const [batch = new Uint8Array()] = encodeBatches([change], 1000);
  expect(decodeBatch(seal.put(batch, KEY))).toEqual([change]);
});
