import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';

/** A definition that nobody means well with, and an object for it. */
export interface HostileCase {
  readonly definition: JsonObject;
  readonly object: JsonObject;
}

/** Values of the largest object, each of which is counted with what it stands in. */
const MOST_ITEMS = 15_000;

const times = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 2, arbitrary: fc.integer({ min: 100, max: 1_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 4_000 }) },
);

const step = fc.oneof(
  fc.constantFrom('.items', '.map', '.text', '.items[*]', '.items[0:]', '.*', '..', '..a', '["a"]', '[-1:]', '[*]'),
  fc.constantFrom('[?(@)]', '[?(@.a)]', '[?(@.a > "x")]', '[?(@.a == @.b)]', '[?(@.a[*] < 3)]'),
  times.map(
    (count) =>
      `[${Array(count + 1)
        .fill("'a'")
        .join()}]`,
  ),
  times.map(
    (count) =>
      `[${Array(count + 1)
        .fill('*')
        .join()}]`,
  ),
);
const path = fc
  .tuple(fc.constantFrom('.spec', '.spec.items', '.spec.map', '.metadata'), fc.array(step, { maxLength: 8 }), times)
  .map(([head, steps, again]) => (head + steps.join('').repeat(1 + (again % 50))).slice(0, 60_000));
const columns = fc.tuple(fc.array(path, { minLength: 1, maxLength: 5 }), times).map(([paths, count]) =>
  Array.from({ length: Math.min(2_000, count + 1) }, (_, at) => ({
    name: `c${at}`,
    type: 'string',
    jsonPath: paths[at % paths.length] ?? '.spec',
  })),
);

const piece = fc.oneof(
  fc.constantFrom(
    '[a-z]{900}',
    '(a|b)*',
    String.raw`\p{L}{50}`,
    '(?i)',
    String.raw`[a-\x{FFFF}]`,
    '(x+x+)+y',
    '^',
    '$',
  ),
  fc.constantFrom('a?', '[^x]*', '(?:a{30}){30}', 'b{3,}'),
  fc.oneof(
    { weight: 9, arbitrary: fc.constant('.') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('[[:bogus:]]', String.raw`\p{Bogus}`, '(a{100}){100}', '(', '[', 'a{1001}'),
    },
  ),
);
const pattern = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), times)
  .map(([pieces, again]) => pieces.join('').repeat(1 + (again % 10)));

const expression = fc.oneof(
  fc.constantFrom('true', 'false', '1 == 1', "'a' != 'b'", "'x'.matches('[a-z]{900}') || true"),
  fc.constantFrom('self == self', 'self.a.size() < 3', 'has(self.a)', 'self.b >= 0', "self.a.matches('^[a-z]{900}$')"),
);
const rules = fc
  .tuple(fc.array(expression, { minLength: 1, maxLength: 4 }), times)
  .map(([texts, count]) => Array.from({ length: count }, (_, at) => ({ rule: texts[at % texts.length] ?? 'true' })));

/** A schema of items that holds what each part of the case brings. */
interface ItemParts {
  readonly patterns: readonly string[];
  readonly rules: readonly JsonObject[];
  readonly defaults: number;
  readonly alternatives: number;
}

function itemSchema({ patterns, rules: itemRules, defaults, alternatives }: ItemParts): JsonObject {
  const text = { type: 'string', maxLength: 100 };
  const filled = Object.fromEntries(
    Array.from({ length: defaults }, (_, at) => [`d${at}`, { type: 'string', default: 'x'.repeat(at % 50) }]),
  );
  return {
    type: 'object',
    properties: {
      a: { ...text, ...(patterns[0] !== undefined && { pattern: patterns[0] }) },
      b: { type: 'integer' },
      ...filled,
    },
    ...(itemRules.length > 0 && { 'x-kubernetes-validations': [...itemRules] }),
    ...(alternatives > 0 && {
      anyOf: Array.from({ length: alternatives }, (_, at) => ({ properties: { b: { minimum: at + 1_000_000 } } })),
    }),
  };
}

const itemParts: fc.Arbitrary<ItemParts> = fc.record({
  patterns: fc.array(pattern, { maxLength: 1 }),
  rules,
  defaults: times.map((count) => count % 60),
  alternatives: times.map((count) => count % 100),
});

const definition = fc
  .record({
    parts: itemParts,
    patterns: fc.array(pattern, { maxLength: 6 }),
    columns,
    listType: fc.constantFrom(undefined, 'map', 'atomic'),
  })
  .map(({ parts, patterns, columns: printed, listType }): JsonObject => {
    const item = itemSchema(parts);
    const keyed = listType === 'map' && { 'x-kubernetes-list-map-keys': ['a'] };
    const items = {
      type: 'array',
      maxItems: MOST_ITEMS,
      items: item,
      ...(listType && { 'x-kubernetes-list-type': listType }),
      ...keyed,
    };
    const texts = Object.fromEntries(patterns.map((each, at) => [`t${at}`, { type: 'string', pattern: each }]));
    const spec = {
      items,
      map: { type: 'object', maxProperties: 5_000, additionalProperties: item },
      text: { type: 'string' },
      ...texts,
    };
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        conversion: { strategy: 'None' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            additionalPrinterColumns: printed,
            schema: { openAPIV3Schema: schema },
          },
        ],
      },
      status: { acceptedNames: names, storedVersions: ['v1'] },
    } as unknown as JsonObject;
  });

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>('', 'x', 'a'.repeat(900), 'abab', null, true, 1.5, 2n ** 63n),
  fc.integer(),
);
const item = fc.oneof(
  fc.constant<JsonObject>({}),
  fc.record({
    a: fc.oneof(fc.string({ maxLength: 20 }), scalar),
    b: fc.oneof(fc.integer(), scalar),
  }) as fc.Arbitrary<JsonObject>,
);
const count = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: MOST_ITEMS }) },
);
const object = fc
  .record({ kinds: fc.array(item, { minLength: 1, maxLength: 5 }), items: count, members: count, text: times })
  .map(({ kinds, items, members, text }): JsonObject => {
    const one = (at: number): JsonObject => ({ ...kinds[at % kinds.length] });
    const map = Object.fromEntries(Array.from({ length: members % 5_000 }, (_, at) => [`k${at}`, one(at)]));
    return {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: { items: Array.from({ length: items }, (_, at) => one(at)), map, text: 'x'.repeat(text * 100) },
    };
  });

/** Definitions and objects that are as large as requests may be, and ask for more than they are worth. */
export const hostileCases: fc.Arbitrary<HostileCase> = fc.record({ definition, object });
