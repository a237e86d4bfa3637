import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNDIVIDED } from '../face/body-codec.js';
import type { WriteOp } from '../face/store.js';
import { gateOf, gatesOf, readBatchResult, typesOf } from './write-batch.js';

const NAMESPACES = 1;
const op = fc
  .record({ type: fc.integer({ min: 1, max: 4 }), name: fc.string({ minLength: 1, maxLength: 2 }), kind: fc.nat(3) })
  .map(({ type, name, kind }): WriteOp => {
    const base = { type, namespace: type === NAMESPACES ? '' : name, name, body: Buffer.alloc(0) };
    if (kind === 0) return { ...base, op: 'create', uid: 'u', requireNamespace: type !== NAMESPACES };
    if (kind === 1) return { ...base, op: 'delete', version: 1n };
    return { ...base, op: 'update', version: 1n, terminating: kind === 2 };
  });

describe('a batch', () => {
  it('takes each lane once, ascending', () => {
    fc.assert(
      fc.property(fc.array(op), (ops) => {
        expect(typesOf(ops, 0)).toEqual([...new Set(ops.map((one) => one.type))].sort((a, b) => a - b));
      }),
    );
  });

  it('takes each gate once, ascending, exclusively where a namespace goes away', () => {
    fc.assert(
      fc.property(fc.array(op), (ops) => {
        const gates = gatesOf(ops, NAMESPACES);
        const keys = gates.map((gate) => gate >> 1n);
        expect(keys).toEqual([...new Set(keys)].sort((a, b) => (a < b ? -1 : 1)));
        for (const one of ops) {
          const closes = one.type === NAMESPACES && (one.op === 'delete' || (one.op === 'update' && one.terminating));
          const needs = one.op === 'create' && one.requireNamespace;
          const gate = gates.find((g) => g >> 1n === gateOf(closes ? one.name : one.namespace));
          if (closes) expect((gate ?? 0n) & 1n).toBe(1n);
          if (needs) expect(gate).toBeDefined();
        }
      }),
    );
  });

  it('names gates as every release does', () => {
    expect([gateOf('default'), gateOf('')]).toEqual([gateOf('default'), BigInt(0x811c9dc5 >>> 1)]);
  });

  it('gives each unit its own outcomes back', () => {
    const body = Buffer.from('x');
    const one = { op: 'update', type: 3, namespace: 'n', name: 'a', version: 1n, terminating: false, body } as const;
    const row = (outcome: number, version: number | null) => [`${outcome}`, version && `${version}`, '1', 'u', '9'];
    const rows = [row(1, 5), row(0, null), row(0, null), row(7, null), row(3, 4)] as (string | null)[][];
    const result = readBatchResult(rows, [[one], [one, one], [one, one]], {
      amounts: [],
      accountType: 0,
      codec: UNDIVIDED,
    });
    expect(result.units).toEqual([
      [{ outcome: 'committed', version: 5n }],
      undefined,
      [undefined, { outcome: 'conflict', version: 4n }],
    ]);
    expect(result.changes.map(({ version, previous, at }) => [version, previous, at])).toEqual([[5n, 1n, 9]]);
  });
});
