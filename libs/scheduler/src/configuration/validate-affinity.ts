import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  labelRequirement,
  notSupported,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type { TopologySpreadArgs } from '@orch/scheduler-plugins';
import type {
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySpreadConstraint,
} from '@orch/schema/types/core/v1';

const OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!', Gt: 'gt', Lt: 'lt' } as const;
const FIELD_OPERATORS = ['In', 'NotIn'];
const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];
const DEFAULTING = ['System', 'List'];

/** Validates an affinity to nodes: every term can be parsed. */
export function nodeAffinityErrors(affinity: NodeAffinity | undefined, path: string): FieldError[] {
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const requiredAt = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredAt = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...terms.flatMap((term, i) => termErrors(term, `${requiredAt}[${i}]`)),
    ...preferred.flatMap(({ weight = 0, preference = {} }, i) =>
      weight === 0 ? [] : termErrors(preference, `${preferredAt}[${i}]`),
    ),
  ];
}

const termErrors = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, path: string): FieldError[] => [
  ...matchExpressions.flatMap((each, i) => expressionErrors(each, `${path}.matchExpressions[${i}]`)),
  ...matchFields.flatMap((each, i) => fieldErrors(each, `${path}.matchFields[${i}]`)),
];

function expressionErrors({ key = '', operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  if (operator === undefined || !Object.hasOwn(OPERATORS, operator))
    return [notSupported(`${path}.operator`, operator ?? '', Object.keys(OPERATORS))];
  try {
    labelRequirement(key, OPERATORS[operator], values);
    return [];
  } catch (error) {
    return [requirementError(path, operator, (error as Error).message)];
  }
}

/** Puts the part of a requirement that an error names, `key: Invalid value: …`, into its path. */
function requirementError(path: string, operator: keyof typeof OPERATORS, message: string): FieldError {
  const [, part = '', rest = message] = /^(key|values(?:\[\d+\])?)(?:\[.*?\])?: (.*)$/.exec(message) ?? [];
  const isBound = part === 'values' && (operator === 'Gt' || operator === 'Lt');
  return {
    field: part === '' ? path : `${path}.${part}${isBound ? '[0]' : ''}`,
    reason: 'FieldValueInvalid',
    message: rest,
  };
}

function fieldErrors({ operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  if (!FIELD_OPERATORS.includes(operator ?? ''))
    return [notSupported(`${path}.operator`, operator ?? '', FIELD_OPERATORS)];
  return values.length === 1 ? [] : [invalidValue(`${path}.values`, values.length, 'must have one element')];
}

/** Validates the arguments of PodTopologySpread. */
export function spreadArgsErrors(args: TopologySpreadArgs, path: string): FieldError[] {
  const { defaultConstraints: constraints, defaultingType } = args;
  const at = `${path}.defaultConstraints`;
  return [
    ...defaultingErrors(defaultingType, constraints.length, `${path}.defaultingType`),
    ...constraints.flatMap((constraint, i) => [
      ...constraintErrors(constraint, `${at}[${i}]`),
      ...repeatedErrors(constraints, i, `${at}[${i}]`),
    ]),
  ];
}

function defaultingErrors(type: string, constraints: number, at: string): FieldError[] {
  if (!DEFAULTING.includes(type)) return [notSupported(at, type, DEFAULTING)];
  if (type === 'System' && constraints > 0) return [invalidValue(at, type, 'when .defaultConstraints are not empty')];
  return [];
}

function constraintErrors(constraint: TopologySpreadConstraint, path: string): FieldError[] {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable, labelSelector } = constraint;
  const keyAt = `${path}.topologyKey`;
  const deduced = 'constraint must not define a selector, as they deduced for each pod';
  return [
    ...(maxSkew > 0 ? [] : [invalidValue(`${path}.maxSkew`, maxSkew, 'not in valid range (0, inf)')]),
    ...(topologyKey === '' ? [required(keyAt, 'can not be empty')] : []),
    ...(topologyKey === ''
      ? []
      : qualifiedNameErrors(topologyKey).map((text) => invalidValue(keyAt, topologyKey, text))),
    ...unsatisfiableErrors(whenUnsatisfiable ?? '', `${path}.whenUnsatisfiable`),
    ...(labelSelector ? [forbiddenField(`${path}.labelSelector`, deduced)] : []),
  ];
}

function unsatisfiableErrors(action: string, at: string): FieldError[] {
  if (action === '') return [required(at, 'can not be empty')];
  return UNSATISFIABLE.includes(action) ? [] : [notSupported(at, action, UNSATISFIABLE)];
}

function repeatedErrors(constraints: readonly TopologySpreadConstraint[], i: number, at: string): FieldError[] {
  const same = (a: TopologySpreadConstraint, b: TopologySpreadConstraint | undefined) =>
    a.topologyKey === b?.topologyKey && a.whenUnsatisfiable === b?.whenUnsatisfiable;
  const own = constraints[i];
  if (!constraints.slice(0, i).some((other) => same(other, own))) return [];
  return [duplicate(at, `{${own?.topologyKey}, ${own?.whenUnsatisfiable}}`)];
}
