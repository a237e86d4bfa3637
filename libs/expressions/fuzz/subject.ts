import type { Random } from '../../../test/faults/random.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const pair = { type: 'object', properties: { k: { type: 'string', maxLength: 5 }, v: whole }, required: ['k'] };

/** What the rules speak of: every type that a schema can have. */
export const SCHEMA = {
  type: 'object',
  properties: {
    i: whole,
    j: { type: 'integer', format: 'int64' },
    n: { type: 'number' },
    s: { type: 'string', maxLength: 20 },
    t: text,
    b: { type: 'boolean' },
    nl: { type: 'string', nullable: true },
    d: { type: 'string', format: 'duration' },
    ts: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    by: { type: 'string', format: 'byte' },
    x: { 'x-kubernetes-int-or-string': true },
    li: { type: 'array', maxItems: 10, items: whole },
    ls: { type: 'array', items: { type: 'string', maxLength: 5 } },
    names: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 8, enum: ['a', 'b', 'abc'] } },
    grid: { type: 'array', maxItems: 4, items: { type: 'array', maxItems: 4, items: whole } },
    lo: { type: 'array', maxItems: 5, items: pair },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ml: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: pair },
    m: { type: 'object', additionalProperties: text },
    mi: { type: 'object', maxProperties: 4, additionalProperties: whole },
    o: { type: 'object', properties: { a: text, z: whole } },
    nested: {
      type: 'object',
      properties: { name: text, inner: { type: 'object', properties: { deep: whole } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: text } },
    namespace: text,
    'a-b': text,
  },
};

const TEXTS = ['', 'a', 'b', 'abc', 'a,b', 'Hé😀y', 'x y', '12', '/p/q', 'https://u@h:1/p?d=1&d=2', ' pad ', 'ÀÉ'];
const WHOLE = [0, 1, -1, 2, 3, 7, 100, -50, 2 ** 31];

type Make = (random: Random) => unknown;
const oneOf =
  (values: readonly unknown[]): Make =>
  (random) =>
    random.pick(values);
const listOf =
  (make: Make, most: number): Make =>
  (random) =>
    Array.from({ length: random.between(0, most) }, () => make(random));
const mapOf =
  (make: Make): Make =>
  (random) =>
    // One at most: the reference goes through maps in any order.
    Object.fromEntries(
      Array.from({ length: random.between(0, 1) }, () => [random.pick(['a', 'b', 'p', '']), make(random)]),
    );
const anyText = oneOf(TEXTS);
const anyWhole = oneOf(WHOLE);
const anyPair: Make = (random) => ({
  k: random.pick(['a', 'b', 'c']),
  ...(random.chance(0.7) && { v: anyWhole(random) }),
});
const unlike =
  (make: Make, key: (item: unknown) => unknown): Make =>
  (random) => [...new Map(listOf(make, 4)(random).map((item: unknown) => [key(item), item])).values()];

const VALUES: Readonly<Record<string, Make>> = {
  i: anyWhole,
  j: oneOf([...WHOLE, 2 ** 53 - 1]),
  n: oneOf([0.5, -2.25, 1e9, 0.1, 3.75]),
  s: anyText,
  t: anyText,
  b: oneOf([true, false]),
  nl: oneOf([...TEXTS, null]),
  d: oneOf(['1h2m', '0s', '-3.5s', '1ms']),
  ts: oneOf(['2024-02-29T12:34:56.789Z', '0001-01-01T00:00:00Z', '2021-12-31T23:59:59+02:00']),
  day: oneOf(['2024-02-29', '1999-01-01']),
  by: oneOf(['aGVsbG8=', '', 'AP8=']),
  // No percent sign: the reference takes it for a verb in some messages, and spoils it.
  x: oneOf(['25', 0, 3, 'a']),
  li: listOf(anyWhole, 4),
  ls: listOf(oneOf(['a', 'b', 'c,d', '']), 4),
  names: listOf(oneOf(['a', 'b', 'abc']), 3),
  grid: listOf(listOf(anyWhole, 3), 3),
  lo: listOf(anyPair, 3),
  set: unlike(oneOf(['a', 'b', 'c']), String),
  ml: unlike(anyPair, (item) => (item as { readonly k: string }).k),
  m: mapOf(anyText),
  mi: mapOf(anyWhole),
  o: oneOf([{}, { a: 'q', z: 2 }, { z: 0 }]),
  nested: oneOf([{}, { name: 'n', inner: {} }, { inner: { deep: 5 } }]),
  free: oneOf([{}, { a: 'f' }]),
  namespace: anyText,
  'a-b': anyText,
};

/** How often a member is there. */
const PRESENT = 0.85;

/** A value that the schema allows. */
export const randomSelf = (random: Random): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(VALUES)
      .filter(() => random.chance(PRESENT))
      .map(([name, make]) => [name, make(random)]),
  );
