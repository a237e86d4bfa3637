import { LabelMatcher } from './label-matcher.js';
import type { LabelOperator, LabelRequirement } from './label-requirement.js';
import { labelValueErrors, qualifiedNameErrors } from './name-validation.js';

/** Thrown for selectors that are malformed or impossible. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

type Labels = Readonly<Record<string, string>>;

const INTEGER = /^[+-]?\d+$/;

/** Shared: a selector may have thousands of conditions without values. */
const NO_VALUES: readonly string[] = [];

/** Checks one requirement and sorts its values. @throws SelectorError */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  for (const text of qualifiedNameErrors(key))
    throw new SelectorError(`key: Invalid value: ${JSON.stringify(key)}: ${text}`);
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0)
        throw new SelectorError(
          "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty",
        );
      break;
    case 'exists':
    case '!':
      if (values.length > 0) {
        throw new SelectorError(
          `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
        );
      }
      break;
    case 'gt':
    case 'lt':
      if (values.length !== 1 || !INTEGER.test(values[0] ?? '')) {
        throw new SelectorError(
          `values: Invalid value: ${JSON.stringify(values)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
      }
  }
  values.forEach((value, index) => {
    for (const text of labelValueErrors(value)) {
      throw new SelectorError(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${text}`);
    }
  });
  return { key, operator, values: values.length === 0 ? NO_VALUES : [...new Set(values)].sort() };
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  const [first] = values;
  switch (operator) {
    case 'in':
      return values.length === 1 ? `${key}=${first}` : `${key} in (${values.join(',')})`;
    case 'notin':
      return values.length === 1 ? `${key}!=${first}` : `${key} notin (${values.join(',')})`;
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    default:
      return `${key}${operator === 'gt' ? '>' : '<'}${first}`;
  }
}

/** A conjunction of conditions on labels. Immutable. */
export class LabelSelector {
  /** Requirements without duplicates. All must be met; none: everything matches, unless {@link matchesNothing}. */
  readonly requirements: readonly LabelRequirement[];
  /** Canonical text: equal texts select the same objects. Can be parsed again, unless {@link matchesNothing}. */
  readonly canonical: string;

  #matcher: LabelMatcher | undefined;

  /** @param matchesNothing for the selector of an absent LabelSelector object, which no labels match */
  constructor(
    requirements: readonly LabelRequirement[],
    readonly matchesNothing = false,
  ) {
    const distinct = new Map(requirements.map((requirement) => [requirementText(requirement), requirement]));
    this.requirements = [...distinct.values()];
    this.canonical = matchesNothing ? '<nothing>' : [...distinct.keys()].sort().join(',');
  }

  /** Result of {@link labelSelectorOf} for an absent selector. */
  static readonly nothing = new LabelSelector([], true);

  /** Whether any labels match. */
  get matchesEverything(): boolean {
    return !this.matchesNothing && this.requirements.length === 0;
  }

  /**
   * Whether labels meet every requirement; undefined means no labels. Costs as much as the labels, however many
   * requirements.
   */
  matches(labels: Labels | undefined): boolean {
    if (this.matchesNothing) return false;
    this.#matcher ??= new LabelMatcher(this.requirements);
    return this.#matcher.matches(labels ?? {});
  }

  /** Number of terms: one for each condition, and for each further value of one. */
  get terms(): number {
    return this.requirements.reduce((sum, { values }) => sum + Math.max(1, values.length), 0);
  }

  /** The labels that every match has, with their values: what an index can be asked for. */
  equalities(): Map<string, string> {
    const pinned = new Map<string, string>();
    for (const { key, operator, values } of this.requirements) {
      const [value] = values;
      if (operator === 'in' && values.length === 1 && value !== undefined) pinned.set(key, value);
    }
    return pinned;
  }

  /** The same as {@link canonical}. */
  toString(): string {
    return this.canonical;
  }
}

/** The object form of a label selector, as it stands in specs. */
export interface LabelSelectorObject {
  /** Each pair is a requirement of its own: the label has just this value. */
  matchLabels?: Labels;
  /** `operator` is `In`, `NotIn` (both with values), `Exists` or `DoesNotExist` (both without). */
  matchExpressions?: readonly { key?: string; operator?: string; values?: readonly string[] }[];
}

const OBJECT_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Converts the object form: an absent one matches nothing, an empty one everything. @throws SelectorError */
export function labelSelectorOf(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (!object) return LabelSelector.nothing;
  const requirements = Object.entries(object.matchLabels ?? {}).map(([key, value]) =>
    labelRequirement(key, 'in', [value]),
  );
  // Omitted fields count as empty, as clients may send any.
  for (const { key = '', operator = '', values } of object.matchExpressions ?? []) {
    const known = OBJECT_OPERATORS.get(operator);
    if (!known) throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    requirements.push(labelRequirement(key, known, values ?? []));
  }
  return new LabelSelector(requirements);
}
