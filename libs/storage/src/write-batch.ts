import { byteaArray, int2Array, int4Array, int8Array, textArray } from './arrays.js';
import type { BodyCodec } from './body-codec.js';
import type { Parameter, TextRow } from './connection.js';
import type { Change, Refusal, TypeId, Version, WriteOp, WriteOutcome } from './store.js';

/** Calls `commit_writes` of the schema (migrations/0006-keys-and-defaults). */
export const COMMIT_WRITES =
  'SELECT * FROM commit_writes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)';

/** Names longer than this could not be indexed. Far above any name that the API allows. */
const LONGEST_KEY = 1024;
/** Bytes of the version in which something is stored. */
const LONGEST_VERSION = 63;
/** Of defaults: a column of 16 bits. */
const LARGEST_NUMBER = 32_767;
/** Writes of one set. */
const LARGEST_SET = 1000;

/**
 * Refuses what the database could not store, before it could take a whole batch down.
 * @throws TypeError
 */
export function checkOp(op: WriteOp): void {
  if (op.name === '' || Buffer.byteLength(op.name) + Buffer.byteLength(op.namespace) > LONGEST_KEY) {
    throw new TypeError('a name is empty or too long to be stored');
  }
  const { storedVersion = '' } = op;
  if (`${op.name}${op.namespace}${storedVersion}`.includes('\0')) throw new TypeError('a name holds a zero character');
  if (Buffer.byteLength(storedVersion) > LONGEST_VERSION)
    throw new TypeError('the name of a stored version is too long');
  const { defaults = 0 } = op;
  if (!Number.isInteger(defaults) || defaults < 0 || defaults > LARGEST_NUMBER)
    throw new TypeError("the number of a body's defaults cannot be stored");
  if (op.op !== 'create' && op.version !== 'previous' && BigInt.asUintN(63, op.version) !== op.version)
    throw new TypeError('a version is below zero or above what can be drawn');
  if (op.op === 'create' && !/^[0-9A-Za-z-]{1,128}$/.test(op.uid))
    throw new TypeError('a uid may hold letters, digits and dashes');
}

/** Refuses a write on its own that cannot be stored. @throws TypeError */
export function checkSingle(op: WriteOp): void {
  checkOp(op);
  if (followsPrevious(op)) throw new TypeError('only in a set there is a write before');
}

/**
 * Refuses what could not be decided before any of it is applied.
 * @throws TypeError
 */
export function checkSet(ops: readonly WriteOp[], namespaceType: TypeId): void {
  if (ops.length === 0 || ops.length > LARGEST_SET) throw new TypeError(`a set has 1 to ${LARGEST_SET} writes`);
  const keys = new Set<string>();
  const ended = new Set<string>();
  ops.forEach((op, i) => {
    checkOp(op);
    if (endsNamespace(op, namespaceType)) ended.add(op.name);
    // It is there when it is looked at, and not any more when it is needed.
    else if (op.op === 'create' && op.requireNamespace && ended.has(op.namespace))
      throw new TypeError(`a set ends the namespace ${op.namespace} before it requires it`);
    const key = keyOf(op);
    const before = ops[i - 1];
    if (!followsPrevious(op)) {
      if (keys.has(key)) throw new TypeError(`a set writes ${op.namespace}/${op.name} twice`);
      keys.add(key);
    } else if (!before || keyOf(before) !== key || before.op === 'delete' || op.op === 'create') {
      throw new TypeError('the write before is of another object, or removes it');
    }
  });
}

const endsNamespace = (op: WriteOp, namespaceType: TypeId): boolean =>
  op.type === namespaceType && op.op !== 'create' && (op.op === 'delete' || op.terminating);
const followsPrevious = (op: WriteOp): boolean => op.op !== 'create' && op.version === 'previous';
const keyOf = ({ type, namespace, name }: WriteOp): string => JSON.stringify([type, namespace, name]);

/** Types of some writes, ascending, each once. */
export function typesOf(ops: readonly WriteOp[]): TypeId[] {
  const [first] = ops;
  if (first && ops.length === 1) return [first.type];
  return [...new Set(ops.map(({ type }) => type))].sort((a, b) => a - b);
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
    } else if (endsNamespace(op, namespaceType)) {
      gates.set(op.name, 1n);
    }
  }
  if (gates.size === 0) return [];
  const sorted = [...gates].map(([namespace, exclusive]) => 2n * gateOf(namespace) + exclusive);
  sorted.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  // Of two namespaces with one gate the later element is the exclusive one, if any is.
  return sorted.filter((gate, i) => i + 1 === sorted.length || gate >> 1n !== (sorted[i + 1] ?? 0n) >> 1n);
}

/** What `commit_writes` takes for the version of the item before. */
const PREVIOUS = -1n;

function versionOf(op: WriteOp): Version {
  if (op.op === 'create') return 0n;
  return op.version === 'previous' ? PREVIOUS : op.version;
}

/**
 * Parameters of {@link COMMIT_WRITES}.
 * @param units single writes, and sets, in the order in which they are carried out
 * @param patience milliseconds to wait for a lane that others hold; null: as long as the session waits for locks
 */
export function batchParameters(
  units: readonly (readonly WriteOp[])[],
  patience: number | null,
  namespaceType: TypeId,
  codec: BodyCodec,
): Parameter[] {
  const ops = units.length === 1 ? (units[0] ?? []) : units.flat();
  const types = typesOf(ops);
  const columns = columnsOf(ops, types, codec);
  return [
    patience,
    int4Array(types),
    int8Array(gatesOf(ops, namespaceType)),
    namespaceType,
    int2Array(columns.lanes),
    int2Array(columns.actions),
    textArray(columns.namespaces),
    textArray(columns.names),
    textArray(columns.uids),
    int8Array(columns.versions),
    textArray(columns.storedVersions),
    int2Array(columns.defaults),
    byteaArray(columns.bodies),
    byteaArray(columns.owners),
    int2Array(setSizes(units)),
  ];
}

/** One pass instead of one for each column: for a lone write each pass costs more than what it does. */
function columnsOf(ops: readonly WriteOp[], types: readonly TypeId[], codec: BodyCodec) {
  const lanes: number[] = [];
  const actions: number[] = [];
  const namespaces: string[] = [];
  const names: string[] = [];
  const uids: string[] = [];
  const versions: Version[] = [];
  const storedVersions: string[] = [];
  const defaults: number[] = [];
  const bodies: Buffer[] = [];
  const owners: (Buffer | null)[] = [];
  for (const op of ops) {
    lanes.push(types.indexOf(op.type) + 1);
    actions.push(actionOf(op));
    namespaces.push(op.namespace);
    names.push(op.name);
    uids.push(op.op === 'create' ? op.uid : '');
    versions.push(versionOf(op));
    storedVersions.push(op.storedVersion ?? '');
    defaults.push(op.defaults ?? 0);
    const parts = codec.split(op.body);
    bodies.push(parts.body);
    owners.push(parts.owners);
  }
  return { lanes, actions, namespaces, names, uids, versions, storedVersions, defaults, bodies, owners };
}

/** Where a set begins its size, 1 for a single write; 0 for what belongs to the set begun before it. */
function setSizes(units: readonly (readonly WriteOp[])[]): number[] {
  const sizes: number[] = [];
  for (const { length } of units) for (let item = 0; item < length; item++) sizes.push(item === 0 ? length : 0);
  return sizes;
}

/** What became of each unit of a batch, in the order sent, and the changes that were made. */
export interface BatchResult {
  /** Outcomes of a unit's writes; of a set either all committed, or of one that was refused; undefined when undecided. */
  readonly units: readonly (readonly (WriteOutcome | undefined)[] | undefined)[];
  readonly changes: readonly Change[];
}

/** Reads what {@link COMMIT_WRITES} answered. */
export function readBatchResult(rows: readonly TextRow[], units: readonly (readonly WriteOp[])[]): BatchResult {
  const changes: Change[] = [];
  let at = 0;
  const outcomes = units.map((ops) => {
    const first = at;
    at += ops.length;
    if (rows[first]?.[0] === UNDECIDED) return undefined;
    return ops.map((op, i) => readOutcome(op, rows[first + i] ?? [], changes));
  });
  return { units: outcomes, changes };
}

const UNDECIDED = '0';
const COMMITTED = '1';
const NOT_DONE = '7';
const REFUSALS: Readonly<Record<string, Exclude<Refusal['outcome'], 'conflict'>>> = {
  '2': 'already-exists',
  '4': 'not-found',
  '5': 'namespace-not-found',
  '6': 'namespace-terminating',
};

/** @returns undefined for what was not done because another of its set was refused */
function readOutcome(op: WriteOp, row: TextRow, changes: Change[]): WriteOutcome | undefined {
  const code = row[0] ?? '';
  if (code === NOT_DONE) return undefined;
  const version: Version = BigInt(row[1] ?? 0);
  if (code === COMMITTED) {
    changes.push(changeOf(op, version, row));
    return { outcome: 'committed', version };
  }
  if (code === '3') return { outcome: 'conflict', version };
  const outcome = REFUSALS[code];
  if (!outcome) throw new Error(`the database answered a write with ${code}`);
  return { outcome };
}

function changeOf(op: WriteOp, version: Version, row: TextRow): Change {
  const { type, namespace, name, body, storedVersion = '', defaults = 0 } = op;
  const previous = BigInt(row[2] ?? 0);
  const uid = row[3] ?? '';
  return {
    type,
    version,
    previous,
    op: op.op,
    namespace,
    name,
    uid,
    storedVersion,
    defaults,
    body,
    at: Number(row[4]),
  };
}
