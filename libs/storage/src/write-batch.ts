import { byteaArray, int2Array, int4Array, int8Array, textArray } from './arrays.js';
import type { Parameter, TextRow } from './connection.js';
import type { Change, TypeId, Version, WriteOp, WriteOutcome } from './store.js';

/** Calls `write_batch` of the schema (migrations/0002-leases-and-chains.sql). */
export const WRITE_BATCH = 'SELECT * FROM write_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)';

/** Names longer than this could not be indexed. Far above any name that the API allows. */
const LONGEST_KEY = 1024;

/**
 * Refuses what the database could not store, before it could take a whole batch down.
 * @throws TypeError
 */
export function checkOp(op: WriteOp): void {
  if (op.name === '' || Buffer.byteLength(op.name) + Buffer.byteLength(op.namespace) > LONGEST_KEY) {
    throw new TypeError('a name is empty or too long to be stored');
  }
  if (op.name.includes('\0') || op.namespace.includes('\0')) throw new TypeError('a name holds a zero character');
  if (op.op === 'create' && !/^[0-9A-Za-z-]{1,128}$/.test(op.uid))
    throw new TypeError('a uid may hold letters, digits and dashes');
}

function actionOf(op: WriteOp): number {
  switch (op.op) {
    case 'create':
      return op.requireNamespace ? 2 : 1;
    case 'update':
      return op.terminating ? 4 : 3;
    case 'delete':
      return 5;
  }
}

/** FNV-1a. Every server must agree on it: it names the gate of a namespace. */
export function gateOf(namespace: string): bigint {
  let hash = 0x811c9dc5;
  for (let i = 0; i < namespace.length; i++) hash = Math.imul(hash ^ namespace.charCodeAt(i), 0x01000193);
  return BigInt(hash >>> 1);
}

/** The namespace gates that a batch needs, ascending, each once, exclusive if anybody needs it so. */
export function gatesOf(ops: readonly WriteOp[], namespaceType: TypeId): bigint[] {
  const gates = new Map<string, bigint>();
  for (const op of ops) {
    if (op.op === 'create') {
      if (op.requireNamespace && !gates.has(op.namespace)) gates.set(op.namespace, 0n);
    } else if (op.type === namespaceType && (op.op === 'delete' || op.terminating)) {
      gates.set(op.name, 1n);
    }
  }
  if (gates.size === 0) return [];
  const sorted = [...gates].map(([namespace, exclusive]) => 2n * gateOf(namespace) + exclusive);
  sorted.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  // Of two namespaces with one gate the later element is the exclusive one, if any is.
  return sorted.filter((gate, i) => i + 1 === sorted.length || gate >> 1n !== (sorted[i + 1] ?? 0n) >> 1n);
}

/** Orders a batch by type, keeping the order of arrival within one. */
export function byType(ops: readonly WriteOp[]): { readonly types: TypeId[]; readonly order: number[] } {
  const order = ops.map((_, i) => i);
  const typeAt = (i: number | undefined) => ops[i ?? 0]?.type ?? 0;
  order.sort((a, b) => typeAt(a) - typeAt(b) || a - b);
  const types = order.map(typeAt).filter((type, i, all) => i === 0 || type !== all[i - 1]);
  return { types, order };
}

/** What `write_batch` takes for the version of the item before. */
const PREVIOUS = -1n;

function versionOf(op: WriteOp): Version {
  if (op.op === 'create') return 0n;
  return op.version === 'previous' ? PREVIOUS : op.version;
}

/** Parameters of {@link WRITE_BATCH} for ops in lane order. */
export function batchParameters(types: readonly TypeId[], ops: readonly WriteOp[], namespaceType: TypeId): Parameter[] {
  return [
    int4Array(types),
    int8Array(gatesOf(ops, namespaceType)),
    namespaceType,
    int4Array(ops.map((op) => op.type)),
    int2Array(ops.map(actionOf)),
    textArray(ops.map((op) => op.namespace)),
    textArray(ops.map((op) => op.name)),
    textArray(ops.map((op) => (op.op === 'create' ? op.uid : ''))),
    int8Array(ops.map(versionOf)),
    byteaArray(ops.map((op) => op.body)),
  ];
}

/** What became of each op of a batch, in the order it was sent, and the changes that it made. */
export interface BatchResult {
  readonly outcomes: readonly WriteOutcome[];
  readonly changes: readonly Change[];
}

export function readBatchResult(rows: readonly TextRow[], ops: readonly WriteOp[]): BatchResult {
  const changes: Change[] = [];
  const outcomes = ops.map((op, i): WriteOutcome => {
    const row = rows[i] ?? [];
    const version: Version = BigInt(row[1] ?? 0);
    switch (row[0]) {
      case '1': {
        const { type, namespace, name, body } = op;
        const previous = BigInt(row[2] ?? 0);
        changes.push({
          type,
          version,
          previous,
          op: op.op,
          namespace,
          name,
          uid: row[3] ?? '',
          body,
          at: Number(row[4]),
        });
        return { outcome: 'committed', version };
      }
      case '2':
        return { outcome: 'already-exists' };
      case '3':
        return { outcome: 'conflict', version };
      case '4':
        return { outcome: 'not-found' };
      case '5':
        return { outcome: 'namespace-not-found' };
      case '6':
        return { outcome: 'namespace-terminating' };
      default:
        throw new Error(`the database answered a write with ${row[0]}`);
    }
  });
  return { outcomes, changes };
}
