import type { JsonObject } from '@orch/machinery';
import fc from 'fast-check';
import { MOST_ITEMS, MOST_MEMBERS, times } from './sizes.js';

/** A pattern, and a text that it matches if it is one. */
export interface Matched {
  readonly pattern: string;
  readonly text: string;
}

const matched = (pattern: string, text = ''): Matched => ({ pattern, text });
const short: fc.Arbitrary<Matched> = fc.constantFrom(
  matched('(a|b)*', 'abba'),
  matched(String.raw`\p{L}{3}`, 'xyz'),
  matched('(x+x+)+y', 'xxy'),
  matched('a?'),
  matched('[^x]*', 'abc'),
  matched('b{3,}', 'bbb'),
  matched('(?i)[a-k]+', 'ABC'),
  matched('(?:(?:a|b|c){0,9}){0,9}', 'cab'),
  matched(String.raw`[a-\x{FFFF}]`, 'b'),
  matched('.', 'z'),
  matched('^|$'),
);
/** Long to read, or to match with; and what is none. */
const long = fc.constantFrom('[a-z]{900}', String.raw`\p{L}{50}`, '(?:a{30}){30}', '((a|b)(c|d)){300}', '^', '$');
const none = fc.constantFrom('[[:bogus:]]', String.raw`\p{Bogus}`, '(a{100}){100}', '(', '[', 'a{1001}');
const bold = fc.oneof({ weight: 9, arbitrary: long }, { weight: 1, arbitrary: none }).map((text) => matched(text));

const repeated = (piece: fc.Arbitrary<Matched>, most = 10): fc.Arbitrary<Matched> =>
  fc.tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), times).map(([pieces, again]) => {
    const repeat = (name: keyof Matched) =>
      pieces
        .map((each) => each[name])
        .join('')
        .repeat(1 + (again % most));
    return { pattern: repeat('pattern'), text: repeat('text') };
  });

const sound = fc.constantFrom(
  'true',
  '1 == 1',
  "'a' != 'b'",
  'has(self.k)',
  'self == self',
  'self.b >= -10',
  '!(self.b < -20)',
);
const transition = fc.constantFrom('self.b >= oldSelf.b', 'self == oldSelf || true', 'self.k == oldSelf.k');
const failing = fc.constantFrom(
  'false',
  "self.a.matches('^[a-z]{900}$')",
  'self.a.size() < 3',
  "'x'.matches('[a-z]{900}') || true",
);

/** Parts of the schema of an item, and how it is identified. */
export interface ItemParts {
  readonly pattern: Matched | undefined;
  readonly rules: readonly string[];
  readonly defaults: number;
  readonly alternatives: number;
}

const rulesOf = (expression: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc
    .tuple(fc.array(expression, { minLength: 1, maxLength: 4 }), times)
    .map(([texts, count]) => Array.from({ length: count }, (_, at) => texts[at % texts.length] ?? 'true'));

/** @param isBold whether nobody cares that it will be refused */
export const itemParts = (isBold: boolean): fc.Arbitrary<ItemParts> =>
  fc.record({
    pattern: fc.option(repeated(isBold ? fc.oneof(short, bold) : short), { nil: undefined }),
    rules: rulesOf(
      isBold
        ? fc.oneof(sound, failing)
        : fc.oneof({ weight: 3, arbitrary: sound }, { weight: 1, arbitrary: transition }),
    ),
    defaults: times.map((count) => count % 60),
    alternatives: times.map((count) => count % 100),
  });

/** Patterns of texts that objects need not have. */
export const patterns = (isBold: boolean): fc.Arbitrary<string[]> => {
  const piece = isBold
    ? fc.oneof(short, bold)
    : fc.oneof(
        short,
        long.map((each) => matched(each)),
      );
  return fc
    .array(repeated(piece, isBold ? 10 : 2), { maxLength: isBold ? 6 : 3 })
    .map((all) => all.map((each) => each.pattern));
};

const text = { type: 'string', maxLength: 100 };

function itemSchema({ pattern, rules, defaults, alternatives }: ItemParts): JsonObject {
  const filled = Object.fromEntries(
    Array.from({ length: defaults }, (_, at) => [`d${at}`, { ...text, default: 'x'.repeat(at % 50) }]),
  );
  // All of them are tried, and only the last one fits.
  const least = (at: number) => ({ properties: { b: { minimum: at + 1 === alternatives ? -1_000 : at + 1_000_000 } } });
  return {
    type: 'object',
    required: ['k'],
    properties: {
      k: { type: 'integer' },
      a: { ...text, ...(pattern && { pattern: pattern.pattern }) },
      b: { type: 'integer' },
      ...filled,
    },
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules.map((rule) => ({ rule })) }),
    ...(alternatives > 0 && { anyOf: Array.from({ length: alternatives }, (_, at) => least(at)) }),
  };
}

/** The form of a list of items. */
export const listTypes = fc.constantFrom('map', 'map', 'atomic', undefined);

/** The schema of `spec`, whose parts are given. */
export function specSchema(parts: ItemParts, texts: readonly string[], listType: string | undefined): JsonObject {
  // Only items that are told by their keys have a state before that rules can speak of.
  const rules = listType === 'map' ? parts.rules : parts.rules.filter((rule) => !rule.includes('oldSelf'));
  const item = itemSchema({ ...parts, rules });
  const keyed = listType === 'map' && { 'x-kubernetes-list-map-keys': ['k'] };
  const named = Object.fromEntries(texts.map((pattern, at) => [`t${at}`, { type: 'string', pattern }]));
  return {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        maxItems: MOST_ITEMS,
        items: item,
        ...(listType && { 'x-kubernetes-list-type': listType }),
        ...keyed,
      },
      map: { type: 'object', maxProperties: MOST_MEMBERS, additionalProperties: item },
      tags: { type: 'array', maxItems: MOST_MEMBERS, items: text, 'x-kubernetes-list-type': 'set' },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      whole: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      port: { 'x-kubernetes-int-or-string': true },
      text: { type: 'string' },
      ...named,
    },
  };
}
