import {
  type AcceptedNames,
  approvalOf,
  conditionOf,
  type DefinitionCondition,
  decideNames,
  ESTABLISHED,
  isTrue,
  NamesInUse,
} from '@orch/kinds';
import type { JsonObject } from '@orch/machinery';
import type { Version } from '@orch/storage';
import type { Definition } from './definition.js';

/** What a definition is to be told. */
export interface Decision {
  readonly definition: Definition;
  /** The names that it is given; undefined where they stay as they are. */
  readonly names?: AcceptedNames;
  readonly conditions: readonly DefinitionCondition[];
}

/** Whether a definition tells of a condition already, whenever that was. */
const tells = ({ outline }: Definition, { type, status, reason, message }: DefinitionCondition): boolean => {
  const told = conditionOf(outline, type);
  return told?.status === status && told.reason === reason && told.message === message;
};

/** What a definition tells of its names, and how it was approved, where that is not what it should be. */
export function decisionsOf(definitions: Iterable<Definition>): Decision[] {
  const groups = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const ofGroup = groups.get(definition.group) ?? [];
    ofGroup.push(definition);
    groups.set(definition.group, ofGroup);
  }
  return [...groups.values()].flatMap(decideGroup);
}

/** Who came first is given a name. What is given up in this turn is free in the next one: the write may fail. */
function decideGroup(definitions: readonly Definition[]): Decision[] {
  const inUse = new NamesInUse(definitions.map(({ outline }) => outline));
  const decisions: Decision[] = [];
  for (const definition of [...definitions].sort((a, b) => Number(a.version - b.version))) {
    const { outline } = definition;
    const naming = decideNames(outline, inUse);
    const approval = approvalOf(outline);
    const told = [...(naming?.conditions ?? []), ...(approval ? [approval] : [])];
    const isNew = naming !== undefined && !isEqual(naming.accepted, definition.names);
    const conditions = told.filter((condition) => !tells(definition, condition));
    if (!isNew && conditions.length === 0) continue;
    if (naming) inUse.add({ status: { acceptedNames: { ...naming.accepted } } } as unknown as JsonObject);
    decisions.push({ definition, conditions, ...(isNew && { names: naming.accepted }) });
  }
  return decisions;
}

const isEqual = (a: AcceptedNames, b: AcceptedNames): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Definitions whose names were accepted, and that are not established yet. */
export const installing = (definitions: Iterable<Definition>): Definition[] =>
  [...definitions].filter(
    ({ isEstablished, outline, isTerminating }) => !isEstablished && !isTerminating && isTrue(outline, 'NamesAccepted'),
  );

/** Those of them that every server serves. */
export const establishedBy = (definitions: readonly Definition[], served: Version): Decision[] =>
  definitions.filter(({ since }) => since <= served).map((definition) => ({ definition, conditions: [ESTABLISHED] }));
