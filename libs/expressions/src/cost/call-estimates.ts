import {
  AUTHORIZATION_COST,
  COMPARED_FORMS,
  PARSED_FORMS,
  REGEX_FACTOR,
  STRING_FACTOR,
} from '../evaluation/call-costs.js';
import type { CelType } from '../types/type.js';
import { type EstimateRange, exactly, MAX, NOTHING, ONE, plus, range, scaled, times, union } from './range.js';

/** Estimates for an argument. */
export interface Argument {
  readonly type: CelType | undefined;
  readonly size: EstimateRange;
  /** Size of its elements, if it is a list. */
  readonly elementSize: EstimateRange | undefined;
  /** Its value, if it is an integer literal. */
  readonly literal?: bigint;
  /** Cost of the argument itself. */
  readonly cost: EstimateRange;
}

/** Cost of a call, and the size of its result if known. */
interface CallEstimate {
  readonly cost: EstimateRange;
  readonly size?: EstimateRange;
}

type Arguments = readonly [Argument, ...Argument[]];
type Estimate = (args: Arguments) => CallEstimate;

const argumentCosts = (args: readonly Argument[]): EstimateRange => args.map(({ cost }) => cost).reduce(plus, NOTHING);

/** Costs one unit for each element, plus the cost of traversing texts. */
const ofElements: Estimate = ([target]) => {
  const { elementSize, type } = target;
  if (elementSize === undefined) return { cost: scaled(target.size, STRING_FACTOR) };
  const element = type?.kind === 'list' ? type.element : undefined;
  const isText = element?.kind === 'primitive' && (element.name === 'string' || element.name === 'bytes');
  const each = isText ? plus(ONE, scaled(elementSize, STRING_FACTOR)) : ONE;
  return { cost: times(target.size, each) };
};

const ofText: Estimate = ([{ size }]) => ({ cost: scaled(size, STRING_FACTOR), size });

/** Computes the maximum (or minimum) number of replacements, and how much of the text stays. */
function replaced(args: { text: bigint; part: bigint; longer: boolean }): { count: bigint; kept: bigint } {
  const { text, part, longer } = args;
  if (part === 0n) return { count: text < MAX ? text + 1n : text, kept: text };
  if (!longer) return { count: 0n, kept: text };
  return { count: BigInt(Math.min(Math.ceil(Number(text) / Number(part)), 2 ** 64)), kept: 0n };
}

const replace: Estimate = ([{ size: text }, part, by]) => {
  if (!part || !by) return { cost: ONE };
  const most = replaced({ text: text.max, part: part.size.min, longer: by.size.max > part.size.min });
  const least = replaced({ text: text.min, part: part.size.max, longer: part.size.max > by.size.min });
  const size = plus(times(range(least.count, most.count), by.size), range(least.kept, most.kept));
  return { cost: scaled(text, 2 * STRING_FACTOR), size };
};

const split: Estimate = ([{ size: text }, , most]) => {
  // The number of pieces is taken from a literal as it is, even if negative.
  const pieces = most === undefined ? text.max : BigInt.asUintN(64, most.literal ?? text.max);
  return { cost: scaled(text, 2 * STRING_FACTOR), size: range(0n, pieces) };
};

const join: Estimate = ([list, separator]) => {
  const texts = list.elementSize === undefined ? NOTHING : times(list.size, list.elementSize);
  const less = (count: bigint): bigint => (count > 0n ? count - 1n : 0n);
  const between = range(less(list.size.min), less(list.size.max));
  const size = separator ? plus(texts, times(separator.size, between)) : texts;
  return { cost: scaled(size, STRING_FACTOR), size };
};

/** Cost factor of a pattern equivalent to the longest named format. */
const FORMAT_FACTOR = 128 * REGEX_FACTOR;

const patternCost = ([text, pattern]: Arguments): EstimateRange =>
  times(scaled(plus(text.size, ONE), STRING_FACTOR), scaled(pattern?.size ?? NOTHING, REGEX_FACTOR));

const each = (names: readonly string[], estimate: Estimate): [string, Estimate][] =>
  names.map((name) => [name, estimate]);

/** Estimates by function, for all forms (k8s.io/apiserver, cel/library/cost.go). */
const BY_FUNCTION: ReadonlyMap<string, Estimate> = new Map([
  ['check', () => ({ cost: exactly(BigInt(AUTHORIZATION_COST)) })],
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], ofElements),
  ['url', ([{ size }]) => ({ cost: scaled(size, STRING_FACTOR) })],
  ...each(['lowerAscii', 'upperAscii', 'substring', 'trim'], ofText),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['validate', ([, text]) => ({ cost: scaled(scaled((text as Argument).size, STRING_FACTOR), FORMAT_FACTOR) })],
  ...each(['find', 'findAll'], (args) => ({ cost: patternCost(args), size: range(0n, args[0].size.max) })),
]);

const ofShorter: Estimate = ([a, b]) => {
  const shorter = a.size.max < (b as Argument).size.max ? a.size.max : (b as Argument).size.max;
  return { cost: scaled(range(shorter > 0n ? 1n : 0n, shorter), STRING_FACTOR) };
};

const joined: Estimate = ([a, b]) => {
  const size = plus(a.size, (b as Argument).size);
  return { cost: scaled(size, STRING_FACTOR), size };
};

const ofSecond: Estimate = ([, text]) => ({ cost: scaled((text as Argument).size, STRING_FACTOR) });

/** Bytes of an address. */
const ADDRESS = range(4n, 16n);

/** Cost of whether a network contains an address or a network; `parsed` if that is given as a text. */
const ofContained =
  (network: boolean, parsed: boolean): Estimate =>
  ([, inner]) => {
    const compared = scaled(plus(ADDRESS, ADDRESS), STRING_FACTOR);
    const masked = network ? plus(scaled(ADDRESS, STRING_FACTOR), ONE) : NOTHING;
    const read = parsed ? scaled((inner as Argument).size, STRING_FACTOR) : NOTHING;
    return { cost: plus(plus(compared, masked), read) };
  };

const ofPairs =
  (factor: number): Estimate =>
  ([a, b]) => ({ cost: plus(scaled(times(a.size, (b as Argument).size), factor), ONE) });

const ofParsed: Estimate = ([{ size }]) => ({ cost: scaled(size, STRING_FACTOR) });

/** Library types whose values compare at once. */
const ATOMS = new Set(['kubernetes.Quantity', 'kubernetes.Semver', 'net.IP', 'net.CIDR']);
/** Characters of the longest name of a format. */
const LONGEST_FORMAT = 64n;

/** `==` of library values, in later releases; undefined for all others. */
function ofAtoms([a, b]: readonly Argument[]): CallEstimate | undefined {
  if (!a || !b || a.type?.kind !== 'object' || b.type?.kind !== 'object' || a.type.name !== b.type.name)
    return undefined;
  const { name } = a.type;
  if (ATOMS.has(name) || name.startsWith('kubernetes.authorization.')) return { cost: ONE };
  if (name === 'kubernetes.NamedFormat') return { cost: scaled(range(1n, LONGEST_FORMAT), STRING_FACTOR) };
  if (name !== 'kubernetes.URL') return undefined;
  return { cost: scaled(b.size.max === MAX ? ONE : range(1n, b.size.max), STRING_FACTOR) };
}

/** Estimates by form (cel-go, checker/cost.go). */
const BY_FORM: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  [
    'string_to_bytes',
    ([{ size }]) => ({
      cost: scaled(size, STRING_FACTOR),
      size: range(size.min, BigInt.asUintN(64, size.max * 4n)),
    }),
  ],
  ['bytes_to_string', ([{ size }]) => ({ cost: scaled(size, STRING_FACTOR), size: range(size.min / 4n, size.max) })],
  ['string_format', ofParsed],
  [
    'strings_quote',
    ([{ size }]) => ({
      cost: scaled(size, STRING_FACTOR),
      size: plus(range(size.min, BigInt.asUintN(64, size.max * 2n)), exactly(2n)),
    }),
  ],
  ...each(['starts_with_string', 'ends_with_string'], ofSecond),
  ['in_list', ([, list]) => ({ cost: scaled((list as Argument).size, 1) })],
  ...each(['matches_string', 'matches'], (args) => ({ cost: patternCost(args) })),
  [
    'contains_string',
    ([text, part]) => ({
      cost: times(scaled(text.size, STRING_FACTOR), scaled((part as Argument).size, STRING_FACTOR)),
    }),
  ],
  ...each(['add_string', 'add_bytes'], joined),
  ['add_list', ([a, b]) => ({ cost: ONE, size: plus(a.size, (b as Argument).size) })],
  ...each([...COMPARED_FORMS, 'equals', 'not_equals'], ofShorter),
  ...each(PARSED_FORMS, ofParsed),
  ['ip_is_canonical', ([{ size }]) => ({ cost: scaled(size, 2 * STRING_FACTOR) })],
  ...each(['list_sets_contains_list', 'list_sets_intersects_list'], ofPairs(1)),
  ['list_sets_equivalent_list', ofPairs(2)],
  ['cidr_contains_ip_string', ofContained(false, true)],
  ['cidr_contains_ip_ip', ofContained(false, false)],
  ['cidr_contains_cidr_string', ofContained(true, true)],
  ['cidr_contains_cidr', ofContained(true, false)],
]);

/** Operators that do not evaluate all their arguments. */
const LAZY: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ...each(['logical_and', 'logical_or'], ([a, b]) => ({
    cost: range(a.cost.min, plus(a.cost, (b as Argument).cost).max),
  })),
  [
    'conditional',
    ([condition, yes, no]) => ({
      cost: plus(condition.cost, union((yes as Argument).cost, (no as Argument).cost)),
      size: union((yes as Argument).size, (no as Argument).size),
    }),
  ],
]);

/** Estimates the cost of a call in one of its forms, its arguments included. */
export function estimateCall(name: string, form: string, args: readonly Argument[], isLater: boolean): CallEstimate {
  if (args.length === 0) return { cost: ONE };
  const all = args as Arguments;
  const lazy = LAZY.get(form);
  if (lazy) return lazy(all);
  const atoms = isLater && form === 'equals' ? ofAtoms(all) : undefined;
  const estimate = atoms ?? (BY_FUNCTION.get(name) ?? BY_FORM.get(form))?.(all) ?? { cost: ONE };
  return { ...estimate, cost: plus(estimate.cost, argumentCosts(args)) };
}
