import type { LabelOperator } from '../label-requirement.js';
import { LabelSelector, labelRequirement, SelectorError } from '../label-selector.js';

type Labels = Readonly<Record<string, string>>;

/** A condition on one label or field of nodes, as it stands in specs. */
export interface NodeSelectorRequirementObject {
  /** Key of the label, or name of the field. */
  readonly key?: string;
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  readonly operator?: string;
  /** Values that the operator needs. */
  readonly values?: readonly string[];
}

/** Conditions that must all hold, as they stand in specs. */
export interface NodeSelectorTermObject {
  /** Conditions on labels. */
  readonly matchExpressions?: readonly NodeSelectorRequirementObject[];
  /** `metadata.name` is the only field. */
  readonly matchFields?: readonly NodeSelectorRequirementObject[];
}

/** Name and labels of a node. */
export interface SelectableNode {
  /** Value of `metadata.name`. */
  readonly name: string;
  /** Labels of the node. */
  readonly labels: Labels;
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);
const NAME = 'metadata.name';

interface FieldCondition {
  readonly key: string;
  readonly value: string;
  readonly isEqual: boolean;
}

/** A term of a node selector, parsed. Immutable. */
export class NodeSelectorTerm {
  readonly #labels: LabelSelector | undefined;
  readonly #fields: readonly FieldCondition[];
  /** Whether it has no conditions: such a term matches nothing. */
  readonly isEmpty: boolean;

  /** @throws SelectorError */
  constructor({ matchExpressions = [], matchFields = [] }: NodeSelectorTermObject) {
    this.isEmpty = matchExpressions.length === 0 && matchFields.length === 0;
    this.#labels = matchExpressions.length > 0 ? labelSelector(matchExpressions) : undefined;
    this.#fields = matchFields.map(fieldCondition);
  }

  /** Whether all conditions hold of a node. */
  matches({ name, labels }: SelectableNode): boolean {
    if (this.isEmpty || this.#labels?.matches(labels) === false) return false;
    return this.#fields.every(({ key, value, isEqual }) => ((key === NAME ? name : '') === value) === isEqual);
  }
}

function labelSelector(requirements: readonly NodeSelectorRequirementObject[]): LabelSelector {
  return new LabelSelector(
    requirements.map(({ key = '', operator = '', values = [] }) => {
      const known = OPERATORS.get(operator);
      if (!known) throw new SelectorError(`operator: Unsupported value: ${JSON.stringify(operator)}`);
      return labelRequirement(key, known, values);
    }),
  );
}

function fieldCondition({ key = '', operator = '', values = [] }: NodeSelectorRequirementObject): FieldCondition {
  if (operator !== 'In' && operator !== 'NotIn')
    throw new SelectorError(
      `operator: Unsupported value: ${JSON.stringify(operator)}: supported values: "In", "NotIn"`,
    );
  const [value] = values;
  if (value === undefined || values.length !== 1) {
    throw new SelectorError(`values: Invalid value: ${JSON.stringify(values)}: must have one element`);
  }
  return { key, value, isEqual: operator === 'In' };
}

/** A node selector: terms are alternatives. Immutable. */
export class NodeSelector {
  /** Terms that could be parsed. */
  readonly terms: readonly NodeSelectorTerm[];
  /** Why a term could not be parsed. */
  readonly error: SelectorError | undefined;

  constructor(terms: readonly NodeSelectorTermObject[]) {
    const parsed = terms.map((term) => {
      try {
        return new NodeSelectorTerm(term);
      } catch (error) {
        return error as SelectorError;
      }
    });
    this.terms = parsed.filter((term) => term instanceof NodeSelectorTerm);
    this.error = parsed.find((term) => term instanceof SelectorError);
  }

  /** Whether any term matches a node. @throws SelectorError where none does and one could not be parsed */
  matches(node: SelectableNode): boolean {
    if (this.terms.some((term) => term.matches(node))) return true;
    if (this.error) throw this.error;
    return false;
  }
}
