import {
  type AcceptedNames,
  approvalOf,
  type DefinitionCondition,
  decideNames,
  ESTABLISHED,
  isTrue,
  NamesInUse,
} from '@orch/kinds';
import type { Version } from '@orch/storage';
import { type Definition, hasCondition } from './definition.js';
import type { DefinitionInformer } from './definition-informer.js';

/** A new status of a definition. */
export interface DefinitionDecision {
  /** Definition as of which the decision was made. */
  readonly definition: Definition;
  /** Accepted names; undefined where they do not change. */
  readonly names?: AcceptedNames;
  /** Conditions to be set; others stay as they are. */
  readonly conditions: readonly DefinitionCondition[];
}

/**
 * Decides the names and the approval condition of definitions. Reads only unsettled definitions, and the names in use
 * in their groups.
 */
export function decisionsOf(informer: Pick<DefinitionInformer, 'unfinished' | 'ofGroup'>): DefinitionDecision[] {
  const unsettled = new Map<string, Definition[]>();
  for (const definition of informer.unfinished) {
    if (definition.isSettled) continue;
    const ofGroup = unsettled.get(definition.group) ?? [];
    ofGroup.push(definition);
    unsettled.set(definition.group, ofGroup);
  }
  return [...unsettled].flatMap(([group, some]) => decideGroup(some, namesInUse(informer.ofGroup(group))));
}

function namesInUse(definitions: Iterable<Definition>): NamesInUse {
  const inUse = new NamesInUse([]);
  for (const { accepted } of definitions) inUse.add(accepted);
  return inUse;
}

/**
 * Decides the names of one group: the earliest definition wins. Names given up in this round are free in the next one,
 * as the write may fail.
 */
function decideGroup(definitions: readonly Definition[], inUse: NamesInUse): DefinitionDecision[] {
  const decisions: DefinitionDecision[] = [];
  for (const definition of [...definitions].sort((a, b) => Number(a.version - b.version))) {
    const { outline } = definition;
    const naming = decideNames(outline, inUse);
    const approval = approvalOf(outline);
    const told = [...(naming?.conditions ?? []), ...(approval ? [approval] : [])];
    const isNew = naming !== undefined && !isEqual(naming.accepted, definition.accepted);
    const conditions = told.filter((condition) => !hasCondition(outline, condition));
    if (!isNew && conditions.length === 0) continue;
    if (naming) inUse.add(naming.accepted);
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

/** Returns decisions that establish those of the definitions that every server serves. */
export const establishedBy = (definitions: readonly Definition[], served: Version): DefinitionDecision[] =>
  definitions.filter(({ since }) => since <= served).map((definition) => ({ definition, conditions: [ESTABLISHED] }));
