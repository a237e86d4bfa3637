import type { SqlParameter } from '../connections/connection.js';
import type { BodyCodec } from '../face/body-codec.js';
import { isPossibleKey, isPossibleText, type TypeId, type Version } from '../face/key.js';
import type { Change, WriteOp, WriteOutcome, WriteRefusal } from '../face/store.js';
import type { TextRow } from '../reads/text-row.js';
import { byteaArray, int2Array, int4Array, int8Array, textArray } from './arrays.js';
import { type ChargedAmount, chargeParameters, checkCharging, isCharged, readExceeded } from './charge-parameters.js';

/** Calls `commit_charged` of the schema (migrations/0009-one-lock/3-charges.sql). */
export const COMMIT_CHARGED =
  'SELECT * FROM commit_charged($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, ' +
  '$16, $17, $18::text[]::jsonb[], $19, $20, $21, $22, $23, $24::text[]::numeric[], $25)';

/** Bytes of the version in which something is stored. */
const LONGEST_VERSION = 63;
/** Largest number of defaults: a column of 16 bits. */
const LARGEST_NUMBER = 32_767;
/** Writes of one set. */
const LARGEST_SET = 1000;

/** Refuses what the database could not store, before it fails a whole batch. @throws TypeError */
function checkOp(op: WriteOp): void {
  if (!isPossibleKey(op)) throw new TypeError('a name is empty, too long, or of characters that cannot be stored');
  const { storedVersion = '' } = op;
  if (!isPossibleText(storedVersion)) throw new TypeError('the name of a stored version cannot be stored');
  if (Buffer.byteLength(storedVersion) > LONGEST_VERSION)
    throw new TypeError('the name of a stored version is too long');
  const { defaults = 0 } = op;
  if (!Number.isInteger(defaults) || defaults < 0 || defaults > LARGEST_NUMBER)
    throw new TypeError("the number of a body's defaults cannot be stored");
  if (op.op !== 'create' && op.version !== 'previous' && BigInt.asUintN(63, op.version) !== op.version)
    throw new TypeError('a version is below zero or above what can be drawn');
  if (op.op === 'create' && !/^[0-9A-Za-z-]{1,128}$/.test(op.uid))
    throw new TypeError('a uid may hold letters, digits and dashes');
  checkCharging(op);
}

/** Refuses a write on its own that cannot be stored. @throws TypeError */
export function checkSingle(op: WriteOp): void {
  checkOp(op);
  if (followsPrevious(op)) throw new TypeError('only in a set there is a write before');
}

/** Refuses a set that cannot be checked before any of it is applied. @throws TypeError */
export function checkSet(ops: readonly WriteOp[], namespaceType: TypeId): void {
  if (ops.length === 0 || ops.length > LARGEST_SET) throw new TypeError(`a set has 1 to ${LARGEST_SET} writes`);
  const keys = new Set<string>();
  const ended = new Set<string>();
  ops.forEach((op, i) => {
    checkOp(op);
    if (endsNamespace(op, namespaceType)) ended.add(op.name);
    // It exists when it is checked, and not any more when it is needed.
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

/** Types of some writes, and of the accounts that they are charged to, ascending, without duplicates. */
export function typesOf(ops: readonly WriteOp[], accountType: TypeId): TypeId[] {
  const [first] = ops;
  const charged = ops.some(isCharged);
  if (first && ops.length === 1 && !charged) return [first.type];
  const types = ops.map(({ type }) => type);
  return [...new Set(charged ? [...types, accountType] : types)].sort((a, b) => a - b);
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

/** The namespace gates that a batch needs, ascending, without duplicates, exclusive if any write needs it so. */
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
  // If two namespaces share a gate the later element is the exclusive one, if any is.
  return sorted.filter((gate, i) => i + 1 === sorted.length || gate >> 1n !== (sorted[i + 1] ?? 0n) >> 1n);
}

/** Version that tells `commit_charged` to use the version of the item before. */
const PREVIOUS = -1n;

function versionOf(op: WriteOp): Version {
  if (op.op === 'create') return 0n;
  return op.version === 'previous' ? PREVIOUS : op.version;
}

/** Types with a special role in the store. */
interface SpecialTypes {
  readonly namespaceType: TypeId;
  readonly accountType: TypeId;
}

/** Parameters of a batch, and the data needed to decode its answer. */
interface BatchParameters {
  readonly parameters: SqlParameter[];
  readonly amounts: readonly ChargedAmount[];
}

/**
 * Parameters of {@link COMMIT_CHARGED}.
 * @param units single writes, and sets, in the order of execution
 * @param patience milliseconds to wait for a lane that others hold; null: as long as the session waits for locks
 */
export function batchParameters(
  units: readonly (readonly WriteOp[])[],
  patience: number | null,
  { namespaceType, accountType }: SpecialTypes,
  codec: BodyCodec,
): BatchParameters {
  const ops = units.length === 1 ? (units[0] ?? []) : units.flat();
  const types = typesOf(ops, accountType);
  const charging = chargeParameters(ops, accountType);
  const columns = columnsOf(ops, types, codec);
  const parameters = [
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
    ...charging.parameters,
  ];
  return { parameters, amounts: charging.amounts };
}

/** Builds all columns in one pass: for a lone write each further pass would cost more than its work. */
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
    const parts = codec.split(op.sealed ?? op.body);
    bodies.push(parts.body);
    owners.push(parts.owners);
  }
  return { lanes, actions, namespaces, names, uids, versions, storedVersions, defaults, bodies, owners };
}

/** Sizes of sets: at the first item the set's size, 1 for a single write, -1 if charged; 0 for further items. */
function setSizes(units: readonly (readonly WriteOp[])[]): number[] {
  const sizes: number[] = [];
  for (const ops of units) {
    sizes.push(ops.length === 1 && ops.some(isCharged) ? CHARGED_SINGLE : ops.length);
    for (let item = 1; item < ops.length; item++) sizes.push(0);
  }
  return sizes;
}

const CHARGED_SINGLE = -1;

/** Outcome of each unit of a batch, in the order sent, and the changes that were made. */
export interface BatchResult {
  /** Outcomes of a unit's writes; of a set either all committed, or of one that was refused; undefined when undecided. */
  readonly units: readonly (readonly (WriteOutcome | undefined)[] | undefined)[];
  readonly changes: readonly Change[];
}

/** Reads the answer of {@link COMMIT_CHARGED}. */
export function readBatchResult(
  rows: readonly TextRow[],
  units: readonly (readonly WriteOp[])[],
  answer: { readonly amounts: readonly ChargedAmount[]; readonly accountType: TypeId; readonly codec: BodyCodec },
): BatchResult {
  const changes: Change[] = [];
  let at = 0;
  const next = (): TextRow => {
    for (; rows[at]?.[ACCOUNT_NAME]; at++)
      changes.push(accountChange(rows[at] ?? [], answer.accountType, answer.codec));
    return rows[at++] ?? [];
  };
  const outcomes = units.map((ops) => {
    const own = ops.map(() => next());
    // Rows are read in order of arrival, so that the changes are in order.
    if (own[0]?.[0] === UNDECIDED) return undefined;
    return ops.map((op, i) => readOutcome(op, own[i] ?? [], changes, answer.amounts));
  });
  next();
  return { units: outcomes, changes };
}

/** Index of the column name, which only rows of accounts have. */
const ACCOUNT_NAME = 7;

/** The change of an account that the database has rewritten for its charges. */
function accountChange(row: TextRow, type: TypeId, codec: BodyCodec): Change {
  const [, version, previous, uid, at, , namespace, name, storedVersion, defaults, body, owners] = row;
  const own = bytesOf(body);
  return {
    type,
    version: BigInt(version ?? 0),
    previous: BigInt(previous ?? 0),
    op: 'update',
    namespace: namespace ?? '',
    name: name ?? '',
    uid: uid ?? '',
    storedVersion: storedVersion ?? '',
    defaults: Number(defaults),
    body: owners === null || owners === undefined ? own : codec.join(own, bytesOf(owners)),
    at: Number(at),
  };
}

/** Decodes the text form of a bytea. */
const bytesOf = (text: string | null | undefined): Buffer => Buffer.from((text ?? '').slice(2), 'hex');

const NOTE = 5;
const UNDECIDED = '0';
const COMMITTED = '1';
const NOT_DONE = '7';
const REFUSALS: Readonly<Record<string, Exclude<WriteRefusal['outcome'], 'conflict' | 'exceeded'>>> = {
  '2': 'already-exists',
  '4': 'not-found',
  '5': 'namespace-not-found',
  '6': 'namespace-terminating',
  '8': 'accounts-changed',
};

/** @returns undefined for a write that was skipped because another of its set was refused */
function readOutcome(
  op: WriteOp,
  row: TextRow,
  changes: Change[],
  amounts: readonly ChargedAmount[],
): WriteOutcome | undefined {
  const code = row[0] ?? '';
  if (code === NOT_DONE) return undefined;
  const version: Version = BigInt(row[1] ?? 0);
  if (code === COMMITTED) {
    changes.push(changeOf(op, version, row));
    return { outcome: 'committed', version };
  }
  if (code === '3') return { outcome: 'conflict', version };
  if (code === '9') return { outcome: 'exceeded', exceeded: readExceeded(row[NOTE], amounts) };
  const outcome = REFUSALS[code];
  if (!outcome) throw new Error(`the database answered a write with ${code}`);
  return { outcome };
}

function changeOf(op: WriteOp, version: Version, row: TextRow): Change {
  const { type, namespace, name, body, sealed, storedVersion = '', defaults = 0 } = op;
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
    ...(sealed && { sealed }),
    at: Number(row[4]),
  };
}
