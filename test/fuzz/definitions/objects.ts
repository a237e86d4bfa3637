import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { countUpTo, MOST_ITEMS, MOST_MEMBERS, times } from './sizes.js';

/** Two states of an object, one behind the other. */
export interface States {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>('', 'x', 'a'.repeat(900), 'abab', null, true, 1.5, 2n ** 63n),
  fc.integer(),
);

interface Sizes {
  readonly items: number;
  readonly members: number;
  readonly tags: number;
  readonly free: number;
  readonly labels: number;
  readonly text: number;
}

const sizes: fc.Arbitrary<Sizes> = fc.record({
  items: countUpTo(MOST_ITEMS),
  members: countUpTo(MOST_MEMBERS),
  tags: countUpTo(MOST_MEMBERS),
  free: countUpTo(MOST_ITEMS),
  labels: countUpTo(1_000),
  text: times,
});

/** Defects of values of `a`; mostly none. */
const wrong = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.array(scalar, { minLength: 1, maxLength: 5 }) },
);

const list = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));
const map = (length: number, make: (at: number) => JsonValue): JsonObject =>
  Object.fromEntries(list(length, (at) => [`k${at}`, make(at)]));

function spec({ items, members, tags, free, labels, text }: Sizes, item: (at: number) => JsonObject): JsonObject {
  return {
    items: list(items, item),
    map: map(members, item),
    tags: list(tags, (at) => `tag-${at}`),
    free: map(free, (at) => (at % 2 ? [at, { deep: [String(at)] }] : 'x'.repeat(at % 90))),
    whole: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'w', labels: map(labels, String) }, spec: {} },
    port: items % 2 ? 80 : 'http',
    text: 'x'.repeat(text * 100),
  };
}

/** Changes that an update makes to an object. */
const changes: fc.Arbitrary<(made: JsonObject, items: JsonObject[]) => JsonObject> = fc.constantFrom(
  (made: JsonObject) => ({ ...made, text: 'changed' }),
  (made: JsonObject, [first, ...others]: JsonObject[]) => ({
    ...made,
    items: first ? [{ ...first, b: 77 }, ...others] : [],
  }),
  (made: JsonObject, items: JsonObject[]) => ({ ...made, items: items.slice(1) }),
  (made: JsonObject, items: JsonObject[]) => ({ ...made, items: items.toReversed() }),
  ({ map: _map, ...made }: JsonObject) => made as JsonObject,
  (made: JsonObject) => ({ ...made, free: { gone: true } }),
);

/** @param text that `a` of every item has, so that most objects are sound */
export const states = (text: string): fc.Arbitrary<States> =>
  fc.record({ sizes, wrong, change: changes }).map(({ sizes: size, wrong: scalars, change }) => {
    const item = (at: number): JsonObject => ({
      k: at,
      a: scalars ? (scalars[at % scalars.length] ?? null) : text,
      b: at % 50,
    });
    const object = (made: JsonObject): JsonObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: made,
    });
    const [first, second] = [spec(size, item), spec(size, item)];
    return { before: object(first), after: object(change(second, second.items as JsonObject[])) };
  });
