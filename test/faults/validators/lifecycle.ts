import type { Violation } from './violation.js';

/** The parts of a stored object that the server alone decides. */
export interface StoredObject {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: unknown;
  /** Owners of the fields, as the row stores them beside the body. */
  readonly owners?: string | undefined;
}

/** A row of the table of changes. */
export interface StoredChange {
  readonly resource: string;
  readonly version: number;
  readonly op: 'create' | 'update' | 'delete';
  readonly uid: string;
  readonly body: StoredObject;
  readonly prior: StoredObject | undefined;
}

/** The kinds that are judged: whether each counts the changes of its `spec` in `metadata.generation`. */
const COUNTS: Readonly<Record<string, boolean>> = { replicasets: true, configmaps: false, events: false };

/** Resources whose changes are judged; of others there may be millions. */
export const JUDGED: readonly string[] = Object.keys(COUNTS);

/**
 * V7: a uid belongs to one object for its whole life and to no other; what was created stays created then; the generation
 * is 1 at first, rises by one with the desired state or the wish to delete, and with nothing else; what changes nothing
 * makes no version.
 */
export function checkLifecycle(changes: readonly StoredChange[]): Violation[] {
  const uids = new Map<string, number>();
  return changes.flatMap((change) => {
    const { resource, version, body } = change;
    const counts = COUNTS[resource];
    if (counts === undefined) return [];
    const { namespace = '', name = '' } = body.metadata ?? {};
    const found = [...checkUid(change, uids), ...checkGeneration(change, counts)];
    return found.map(({ rule, message }) => ({
      rule,
      message: `${resource} ${namespace}/${name} at ${version}: ${message}`,
    }));
  });
}

function checkUid({ op, uid, body, prior, version }: StoredChange, uids: Map<string, number>): Violation[] {
  const fault = (message: string): Violation[] => [{ rule: 'V7.uid', message }];
  const own = body.metadata;
  if (own?.uid === undefined || own.uid === '' || own.uid !== uid) return fault(`uid ${own?.uid}, in the row ${uid}`);
  if (own.creationTimestamp === undefined) return fault('no creationTimestamp');
  if (op === 'create') {
    const before = uids.get(uid);
    uids.set(uid, version);
    return before === undefined ? [] : fault(`uid ${uid} was given to another object at ${before}`);
  }
  const before = prior?.metadata;
  if (before?.uid !== own.uid) return fault(`uid ${own.uid} was ${before?.uid}`);
  if (before.name !== own.name || before.namespace !== own.namespace)
    return fault(`was ${before.namespace}/${before.name}`);
  return before.creationTimestamp === own.creationTimestamp ? [] : fault('another creationTimestamp than before');
}

function checkGeneration({ op, body, prior }: StoredChange, counts: boolean): Violation[] {
  const generation = body.metadata?.generation;
  const fault = (message: string): Violation[] => [{ rule: 'V7.generation', message }];
  if (!counts && generation !== undefined) return fault(`generation ${generation} of a kind that has none`);
  if (op === 'create') return counts && generation !== 1 ? fault(`generation ${generation} of a new object`) : [];
  if (op !== 'update' || prior === undefined) return [];
  if (isEqual(body, prior)) return [{ rule: 'V7.idle', message: 'a change that changes nothing' }];
  if (!counts) return [];
  const wished = body.metadata?.deletionTimestamp !== undefined && prior.metadata?.deletionTimestamp === undefined;
  const expected = (prior.metadata?.generation ?? 0) + (wished || !isEqual(body.spec, prior.spec) ? 1 : 0);
  return generation === expected ? [] : fault(`generation ${generation}, not ${expected}`);
}

/** Stored JSON has one form, so that its text can be compared. */
const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
