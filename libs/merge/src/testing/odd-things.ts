import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';

/*
 * Values of the fields of `things.ts`, most of them not as their schema says: empty maps and lists, nulls, items that stand there
 * twice, items without their keys, and values of other forms.
 */

const word = fc.constantFrom('a', 'b', 'c', 'd', 'ä', '𝄞', '"\\', '10', 'constructor', '__proto__');
const odd = fc.constantFrom<JsonValue>(null, {}, [], '', 0, false, 'x', ['x'], { x: null });
const mostly = <T extends JsonValue>(values: fc.Arbitrary<T>, weight = 8): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight, arbitrary: values }, { weight: 1, arbitrary: odd });

const record = (model: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> =>
  fc.record(model, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const dictionary = (values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> =>
  fc.dictionary(word, values, { maxKeys: 8, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const words = mostly(fc.array(mostly(word, 20), { maxLength: 12 }));

const part = record({
  port: mostly(fc.integer({ min: 1, max: 9 }), 30),
  protocol: mostly(fc.constantFrom('TCP', 'UDP'), 20),
  note: mostly(word),
  tags: words,
});
const parts = mostly(fc.array(mostly(part, 20), { maxLength: 10 }));
const labels = mostly(dictionary(mostly(word)));

/** Specs of things with whatever a client may write. */
export const oddSpecs: fc.Arbitrary<JsonObject> = record({
  size: mostly(fc.integer({ min: 0, max: 3 })),
  labels,
  whole: labels,
  plain: words,
  set: words,
  parts,
  groups: mostly(fc.array(record({ name: mostly(word, 20), parts, labels }), { maxLength: 5 })),
  nested: mostly(record({ deep: mostly(record({ x: mostly(fc.nat()), y: mostly(fc.nat()) })) })),
  free: dictionary(mostly(dictionary(fc.oneof(words, labels)))),
});

const env = mostly(fc.array(mostly(record({ name: mostly(word, 20), value: mostly(word) }), 20), { maxLength: 8 }));
const container = record({
  name: mostly(word, 20),
  image: mostly(word),
  env,
  args: words,
  ports: mostly(
    fc.array(record({ containerPort: mostly(fc.integer({ min: 1, max: 5 }), 20), protocol: mostly(word) }), {
      maxLength: 6,
    }),
  ),
  resources: mostly(record({ limits: labels, requests: labels })),
});

/** A pod, a built-in kind whose fields have zeros, with whatever a client may write. */
export const oddPods: fc.Arbitrary<JsonObject> = fc
  .record({
    labels,
    spec: record({
      containers: mostly(fc.array(mostly(container, 20), { maxLength: 5 })),
      nodeSelector: labels,
      hostNetwork: mostly(fc.boolean()),
      tolerations: mostly(fc.array(record({ key: mostly(word), operator: mostly(word) }), { maxLength: 4 })),
    }),
  })
  .map(({ labels, spec }) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', uid: '1', labels }, spec }));
