import { FormatValue } from '../libraries/formats.js';
import { OptionalValue } from '../values/optionals.js';
import { byteCount, pointCount } from '../values/strings.js';
import { Dictionary, EvaluationBudget, List, Opaque, type Value } from '../values/value.js';

/** Computes the cost of a call from its arguments; the result is used only by those that {@link isKnownAfter}. */
export type CallCost = (args: readonly Value[], result: Value, effort: EvaluationBudget) => number;

/** Units for each character that is read. */
export const STRING_FACTOR = 0.1;
/** Units for each character of a regular expression. */
export const REGEX_FACTOR = 0.25;
/** Units of an authorization check. */
export const AUTHORIZATION_COST = 350_000;

/** Returns the length of a value; 1 if it has none. */
function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return pointCount(value);
  if (value instanceof OptionalValue) return sizeOf(value.value);
  if (value instanceof List || value instanceof Dictionary || value instanceof Opaque) return value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

const traversed = (size: number, factor: number): number => Math.ceil(size * factor);

/** Returns the units of traversing everything in a value. */
function traversal(value: Value | undefined, effort: EvaluationBudget): number {
  if (typeof value === 'string') return Math.trunc(byteCount(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.trunc(value.length * STRING_FACTOR);
  let cost = 0;
  if (value instanceof List) {
    effort.spend(value.size);
    for (let i = 0; i < value.size; i++) cost += traversal(value.at(i), effort);
    return cost;
  }
  if (!(value instanceof Dictionary)) return 1;
  effort.spend(value.size);
  for (const key of value.keys()) cost += traversal(key, effort) + traversal(value.find(key), effort);
  return cost;
}

const ofText: CallCost = ([text]) => traversed(sizeOf(text), STRING_FACTOR);
const ofTextTwice: CallCost = ([text]) => traversed(sizeOf(text), 2 * STRING_FACTOR);
const ofShorter: CallCost = ([a, b]) => traversed(Math.min(sizeOf(a), sizeOf(b)), STRING_FACTOR);
/** Library values count as one for `==`, and for nothing else. */
const ofEqual: CallCost = (args, result, effort) =>
  args[0] instanceof Opaque && !(args[0] instanceof OptionalValue) ? 1 : ofShorter(args, result, effort);
const ofBoth: CallCost = ([a, b]) => traversed(sizeOf(a) + sizeOf(b), STRING_FACTOR);
const ofEachInOther: CallCost = ([a, b]) => traversed(sizeOf(a), STRING_FACTOR) * traversed(sizeOf(b), STRING_FACTOR);
const ofPattern: CallCost = ([text, pattern]) =>
  traversed(1 + sizeOf(text), STRING_FACTOR) * traversed(sizeOf(pattern), REGEX_FACTOR);
/** Cost of checking a text against a named format, by the length of the equivalent pattern. */
const ofFormat: CallCost = ([format, text]) =>
  format instanceof FormatValue
    ? traversed(1 + sizeOf(text), STRING_FACTOR) * traversed(format.patternSize, REGEX_FACTOR)
    : 1;
/** Effort of each position of a text at which a match may begin, for functions that want all matches. */
const EFFORT_OF_MATCH = 20;
const ofAllMatches: CallCost = (args, result, effort) => {
  if (typeof args[0] === 'string') effort.spend(EFFORT_OF_MATCH * args[0].length);
  return ofPattern(args, result, effort);
};
/** Inserting values into a text is an effort, and costs nothing. */
const ofFormatted: CallCost = (args, result, effort) => {
  traversal(args[1], effort);
  return ofText(args, result, effort);
};
/** Cost of iterating over a list or a map, which is an effort and costs one unit. */
const ofMembers =
  (place: number): CallCost =>
  (args, _, effort) => {
    effort.spend(sizeOf(args[place]));
    return 1;
  };
/** Effort of computing the time in a named zone. */
const EFFORT_OF_ZONE = 200;
const ofZone: CallCost = ([, zone], _, effort) => {
  if (zone !== undefined) effort.spend(EFFORT_OF_ZONE);
  return 1;
};
const ofResult: CallCost = (_, result) => traversed(sizeOf(result), 2 * STRING_FACTOR);
const ofElements: CallCost = ([list], _, effort) => traversal(list, effort);

/** Cost of whether a network contains an address or a network; `parsed` if that is given as a text. */
const ofContained =
  (network: boolean, parsed: boolean): CallCost =>
  ([outer, inner]) => {
    const compared = traversed(2 * sizeOf(outer), STRING_FACTOR);
    const masked = network ? traversed(sizeOf(outer), STRING_FACTOR) + 1 : 0;
    return compared + masked + (parsed ? traversed(sizeOf(inner), STRING_FACTOR) : 0);
  };

/** Comparing the contents of elements is an effort, and costs nothing. */
const ofPairs =
  (factor: number): CallCost =>
  ([a, b], _, effort) => {
    const within = new EvaluationBudget(Number.POSITIVE_INFINITY, effort);
    traversal(a, within);
    effort.spend(within.spent * sizeOf(b));
    return sizeOf(a) * sizeOf(b) * factor + 1;
  };

const each = (names: readonly string[], cost: CallCost): [string, CallCost][] => names.map((name) => [name, cost]);

/** Parts of a time that can be requested for a zone. */
const ZONED = [
  ...['getFullYear', 'getMonth', 'getDayOfYear', 'getDayOfMonth', 'getDate', 'getDayOfWeek'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
];

/** Costs by function, for all forms (k8s.io/apiserver, cel/library/cost.go). */
const BY_FUNCTION: ReadonlyMap<string, CallCost> = new Map([
  ['check', () => AUTHORIZATION_COST],
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], ofElements),
  ...each(ZONED, ofZone),
  ...each(['url', 'lowerAscii', 'upperAscii', 'substring', 'trim'], ofText),
  ...each(['replace', 'split'], ofTextTwice),
  ['join', ofResult],
  ['validate', ofFormat],
  ['find', ofPattern],
  ['findAll', ofAllMatches],
]);

/** Forms that scan a whole text, or build one. */
export const PARSED_FORMS: readonly string[] = [
  'string_to_quantity',
  'is_quantity_string',
  'string_to_ip',
  'is_ip',
  'string_to_cidr',
  'is_cidr',
  'ip_to_string',
  'cidr_to_string',
  'string_to_semver',
  'string_bool_to_semver',
  'is_semver_string',
  'is_semver_string_bool',
];

/** Forms that compare two texts, or bytes. */
export const COMPARED_FORMS: readonly string[] = ['less', 'greater', 'less_equals', 'greater_equals'].flatMap(
  (name) => [`${name}_string`, `${name}_bytes`],
);

/** Costs by form, if the check found a single one (cel-go, interpreter/runtimecost.go). */
const BY_FORM: ReadonlyMap<string, CallCost> = new Map([
  ...each(['starts_with_string', 'ends_with_string', 'string_to_bytes', 'bytes_to_string', 'strings_quote'], ofText),
  ['string_format', ofFormatted],
  ...each(['optional_unwrap', 'optional_unwrapOpt'], ofMembers(0)),
  ['@mapInsert_map_map', ofMembers(1)],
  ['in_list', ([, list]) => sizeOf(list)],
  ...each([...COMPARED_FORMS, 'not_equals'], ofShorter),
  ['equals', ofEqual],
  ...each(['add_string', 'add_bytes'], ofBoth),
  // The reference charges one for the latter, whatever it matches: here matching is never free.
  ...each(['matches_string', 'matches'], ofPattern),
  ['contains_string', ofEachInOther],
  ...each(PARSED_FORMS, ofText),
  ['ip_is_canonical', ofTextTwice],
  ...each(['list_sets_contains_list', 'list_sets_intersects_list'], ofPairs(1)),
  ['list_sets_equivalent_list', ofPairs(2)],
  ['cidr_contains_ip_string', ofContained(false, true)],
  ['cidr_contains_ip_ip', ofContained(false, false)],
  ['cidr_contains_cidr_string', ofContained(true, true)],
  ['cidr_contains_cidr', ofContained(true, false)],
]);

/** Whether a cost is known only after the call. */
export const isKnownAfter = (cost: CallCost): boolean => cost === ofResult;

/** Returns the cost of a function's call; `form` is empty if several are possible. Undefined for 1. */
export const callCost = (name: string, form: string): CallCost | undefined =>
  BY_FUNCTION.get(name) ?? BY_FORM.get(form);
