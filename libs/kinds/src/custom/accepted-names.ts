import { formatTime, type JsonObject } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import type { AcceptedNames } from './kind-names.js';
import type { NamesInUse } from './names-in-use.js';

/** A condition of an object, but for its time. */
interface ObjectCondition {
  readonly type: string;
  /** Whether it holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Why, in a word for programs. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
}

/** A condition of a definition (`status.conditions`). */
export interface DefinitionCondition extends ObjectCondition {
  /** What it is about; a definition has one of each at most. */
  readonly type:
    | 'NamesAccepted'
    | 'Established'
    | 'StorageMigrating'
    | 'Terminating'
    | 'NonStructuralSchema'
    | 'KubernetesAPIApprovalPolicyConformant';
}

/** The decision about the names that a definition asks for. */
export interface Naming {
  /** Of each name the one that is asked for, or where another definition has it, the one that was accepted before. */
  readonly accepted: AcceptedNames;
  /** `NamesAccepted`, and `Established` as long as it is not true. */
  readonly conditions: readonly DefinitionCondition[];
}

/** The names that a definition asks for (`spec`). */
export const requestedNames = (definition: JsonObject): AcceptedNames => namesOf(definition, 'spec', 'names');
/** The names that are accepted of a definition (`status`). */
export const acceptedNames = (definition: JsonObject): AcceptedNames => namesOf(definition, 'status', 'acceptedNames');

/**
 * The names that a definition is served by: those that are accepted of it, but for the plural. That is part of its own name and never changes; a
 * status that somebody else has written does not move its objects.
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
 * Decides on the names of a definition. Each that no other definition of its group has is accepted, as is what it had already.
 * @param inUse the names that the definitions of the group were given, its own among them
 * @returns undefined where the names that are asked for are those that are accepted, and no other is said to be refused: one that is asked for
 *   no more holds up nothing (v0.27.16 leaves it at that, and never establishes the definition)
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
  // The order decides which of several conflicts is told.
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

/** One message of several that are different. */
function aggregate(names: readonly string[]): string {
  const messages = [...new Set(names.map((name) => `${JSON.stringify(name)} is already in use`))];
  return messages.length === 1 ? (messages[0] as string) : `[${messages.join(', ')}]`;
}

/** What was established stays so, whatever it is called in the end. */
function establishing(definition: JsonObject, naming: DefinitionCondition): DefinitionCondition[] {
  if (isTrue(definition, 'Established')) return [];
  const [reason, message] =
    naming.status === 'True'
      ? ['Installing', 'the initial names have been accepted']
      : ['NotAccepted', 'not all names are accepted'];
  const before = conditionOf(definition, 'Established');
  return naming.status === 'True' || !before ? [{ type: 'Established', status: 'False', reason, message }] : [];
}

/** Told once every server serves the definition. */
export const ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** A condition of a definition. */
export const conditionOf = (definition: JsonObject, type: DefinitionCondition['type']) =>
  objectsAt(definition, 'status', 'conditions').find((condition) => condition.type === type);

/** Whether a definition has a condition, and it is true. */
export const isTrue = (definition: JsonObject, type: DefinitionCondition['type']): boolean =>
  conditionOf(definition, type)?.status === 'True';

/**
 * The conditions of an object with others told of it: in place of those of their types, else behind them. The time of a condition is that of the
 * last change of its status.
 * @param now milliseconds since 1970
 */
export function withConditions(object: JsonObject, told: readonly ObjectCondition[], now: number): JsonObject[] {
  const conditions = objectsAt(object, 'status', 'conditions') as JsonObject[];
  for (const condition of told) {
    const at = conditions.findIndex(({ type }) => type === condition.type);
    const before = conditions[at];
    const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
    const made = { ...condition, lastTransitionTime: since ?? formatTime(now) };
    if (before) conditions[at] = made;
    else conditions.push(made);
  }
  return conditions;
}
