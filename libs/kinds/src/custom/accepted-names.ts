import { formatTime, type JsonObject } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import type { AcceptedNames } from './kind-names.js';
import type { NamesInUse } from './names-in-use.js';

/** A condition of an object, without its time. */
interface ObjectCondition {
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Reason as a word for programs. */
  readonly reason: string;
  /** Reason as a text for people. */
  readonly message: string;
}

/** A condition of a definition (`status.conditions`). */
export interface DefinitionCondition extends ObjectCondition {
  /** Type of the condition; a definition has at most one of each type. */
  readonly type:
    | 'NamesAccepted'
    | 'Established'
    | 'StorageMigrating'
    | 'Terminating'
    | 'NonStructuralSchema'
    | 'KubernetesAPIApprovalPolicyConformant';
}

/** Decision about the names that a definition requests. */
export interface Naming {
  /**
   * The accepted names: the requested ones, but where another definition has a name, the one that was accepted before.
   */
  readonly accepted: AcceptedNames;
  /** `NamesAccepted`, and `Established` while it is not true. */
  readonly conditions: readonly DefinitionCondition[];
}

/** Returns the names that a definition requests (`spec`). */
export const requestedNames = (definition: JsonObject): AcceptedNames => namesOf(definition, 'spec', 'names');
/** Returns the accepted names of a definition (`status`). */
export const acceptedNames = (definition: JsonObject): AcceptedNames => namesOf(definition, 'status', 'acceptedNames');

/**
 * Returns the names that a definition is served under: the accepted ones, except for the plural. That is part of the
 * definition's own name and never changes; a status written by another party does not move its objects.
 */
export function servedNames(definition: JsonObject): AcceptedNames {
  const accepted = acceptedNames(definition);
  return accepted.plural === '' ? accepted : { ...accepted, plural: requestedNames(definition).plural };
}

function namesOf(definition: JsonObject, ...path: readonly string[]): AcceptedNames {
  const names = objectAt(definition, ...path);
  return {
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    shortNames: stringsAt(names, 'shortNames'),
    kind: textAt(names, 'kind'),
    listKind: textAt(names, 'listKind'),
    categories: stringsAt(names, 'categories'),
  };
}

/**
 * Decides on the names of a definition. A requested name that no other definition of its group has is accepted, and so
 * are names that it already had.
 * @param inUse names of the definitions of the group, its own included
 * @returns undefined if the requested names are the accepted ones, and no condition says that another is refused: a
 * name that is no longer requested does not block the definition (v0.27.16 leaves the condition, and never establishes
 * the definition)
 */
export function decideNames(definition: JsonObject, inUse: NamesInUse): Naming | undefined {
  const [requested, before] = [requestedNames(definition), acceptedNames(definition)];
  if (equal(requested, before) && conditionOf(definition, 'NamesAccepted')?.status !== 'False') return undefined;
  const isResource = (name: string) => inUse.isResource(name);
  const isKind = (name: string) => inUse.isKind(name);
  let conflict: DefinitionCondition | undefined;
  const decide = <K extends keyof AcceptedNames>(name: K, taken: readonly string[]): AcceptedNames[K] => {
    if (taken.length === 0) return requested[name];
    conflict = namesAccepted('False', `${name[0]?.toUpperCase()}${name.slice(1)}Conflict`, aggregate(taken));
    return before[name];
  };
  const single = (name: 'plural' | 'singular' | 'kind' | 'listKind', isTaken: (name: string) => boolean) =>
    decide(name, requested[name] !== before[name] && isTaken(requested[name]) ? [requested[name]] : []);
  const known = new Set(before.shortNames);
  const short = requested.shortNames.filter((name) => !known.has(name) && isResource(name));
  // With several conflicts the last one is reported, so the order matters.
  const accepted = {
    plural: single('plural', isResource),
    singular: single('singular', isResource),
    shortNames: decide('shortNames', short),
    kind: single('kind', isKind),
    listKind: single('listKind', isKind),
    categories: requested.categories,
  };
  const naming = conflict ?? namesAccepted('True', 'NoConflicts', 'no conflicts found');
  return { accepted, conditions: [naming, ...establishing(definition, naming)] };
}

const namesAccepted = (status: 'True' | 'False', reason: string, message: string): DefinitionCondition => ({
  type: 'NamesAccepted',
  status,
  reason,
  message,
});

/** Joins distinct messages into one. */
function aggregate(names: readonly string[]): string {
  const messages = [...new Set(names.map((name) => `${JSON.stringify(name)} is already in use`))];
  return messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]`;
}

/** Returns the change of `Established`, which stays true once it is, whatever the names. */
function establishing(definition: JsonObject, naming: DefinitionCondition): DefinitionCondition[] {
  if (isTrue(definition, 'Established')) return [];
  const [reason, message] =
    naming.status === 'True'
      ? ['Installing', 'the initial names have been accepted']
      : ['NotAccepted', 'not all names are accepted'];
  const before = conditionOf(definition, 'Established');
  return naming.status === 'True' || !before ? [{ type: 'Established', status: 'False', reason, message }] : [];
}

/** The condition that is set once every server serves the definition. */
export const ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** Returns a condition of a definition by its type; undefined for none. */
export const conditionOf = (definition: JsonObject, type: DefinitionCondition['type']) =>
  objectsAt(definition, 'status', 'conditions').find((condition) => condition.type === type);

/** Returns whether a condition of a definition is true. */
export const isTrue = (definition: JsonObject, type: DefinitionCondition['type']): boolean =>
  conditionOf(definition, type)?.status === 'True';

/**
 * Returns the conditions of an object with new ones, which replace those of their types or are appended. The time of a
 * condition is that of the last change of its status.
 * @param now milliseconds since 1970
 */
export function withConditions(object: JsonObject, wanted: readonly ObjectCondition[], now: number): JsonObject[] {
  const conditions = objectsAt(object, 'status', 'conditions') as JsonObject[];
  for (const condition of wanted) {
    const at = conditions.findIndex(({ type }) => type === condition.type);
    const before = conditions[at];
    const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
    const made = { ...condition, lastTransitionTime: since ?? formatTime(now) };
    if (before) conditions[at] = made;
    else conditions.push(made);
  }
  return conditions;
}
