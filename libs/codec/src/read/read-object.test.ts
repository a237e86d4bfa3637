import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, type JsonValue, namesOf, parseApiVersion } from '@orch/machinery';
import { loadScheme, type StructSchema } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../protobuf/decode-object.js';
import { encodeObject } from '../protobuf/encode-object.js';
import { decodeYamlObject } from '../yaml/yaml-object.js';
import { decodeJsonObject, readObject } from './read-object.js';

const scheme = loadScheme(namesOf('kubernetes'));

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const gv = parseApiVersion(apiVersion);
  const found = gv && scheme.kind(gv.group, gv.version, kind);
  if (!found) throw new Error(`no schema of ${apiVersion} ${kind}`);
  return found.schema;
}

const pod = schemaOf('v1', 'Pod');
const deployment = schemaOf('apps/v1', 'Deployment');
const configMap = schemaOf('v1', 'ConfigMap');
const crd = schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

const read = (schema: StructSchema, value: JsonValue) => readObject(schema, value);

describe('readObject', () => {
  it('drops unknown fields and tells where they stood', () => {
    const value = { spec: { foo: 1, containers: [{ name: 'a', bar: {} }], nodeSelector: { any: 'x' } }, Spec: {} };
    const { object, problems } = read(pod, value);
    expect(object).toEqual({ spec: { containers: [{ name: 'a' }], nodeSelector: { any: 'x' } } });
    expect(problems).toEqual([
      'unknown field "spec.foo"',
      'unknown field "spec.containers[0].bar"',
      'unknown field "Spec"',
    ]);
  });

  it('tells of nothing below types that read themselves, and drops it all the same', () => {
    const text =
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"no":1,"items":{"no":1,"type":"a","type":"b"},"additionalProperties":{"properties":{"a":{"no":1}}},"not":{"no":1}}}}]}}';
    const { object, problems } = decodeJsonObject(crd, text);
    const at = 'spec.versions[0].schema.openAPIV3Schema';
    expect(problems).toEqual([`unknown field "${at}.no"`, `unknown field "${at}.not.no"`]);
    const schema = { items: { type: 'b' }, additionalProperties: { properties: { a: {} } }, not: {} };
    expect(object.spec).toMatchObject({ versions: [{ schema: { openAPIV3Schema: schema } }] });
  });

  it('tells of repeated fields in the order of the document, but not inside unknown ones', () => {
    const text =
      '{"spec":{"un":{"x":1,"x":2},"paused":true,"paused":false,"un2":1,"template":{"spec":{"containers":[{"name":"a","image":"1","image":"2"}]}}},"metadata":{"labels":{"a":"1","a":"2"}}}';
    const problems = [
      'unknown field "spec.un"',
      'duplicate field "spec.paused"',
      'unknown field "spec.un2"',
      'duplicate field "spec.template.spec.containers[0].image"',
      'duplicate field "metadata.labels.a"',
    ];
    expect(decodeJsonObject(deployment, text).problems).toEqual(problems);
    const [repeated, ...others] = decodeYamlObject(deployment, text).problems;
    expect(repeated?.split('\n').slice(0, 3)).toEqual([
      'yaml: unmarshal errors:',
      '  line 1: key "x" already set in map',
      '  line 1: key "paused" already set in map',
    ]);
    expect(others).toEqual(problems.filter((problem) => problem.startsWith('unknown')));
  });

  it('tells at most 100 problems', () => {
    const value = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]));
    expect(read(pod, value).problems).toHaveLength(100);
  });

  it('tells no more problems behind a path as long as a body', () => {
    const properties = {
      ['x'.repeat(100_000)]: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`u${i}`, 1])),
    };
    const versions = [{ name: 'v1', schema: { openAPIV3Schema: { properties } } }];
    const definition = schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    expect(read(definition, { spec: { versions } }).problems).toHaveLength(1);
  });

  it.each<[StructSchema, JsonValue, string]>([
    [
      deployment,
      { spec: { replicas: '3' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment,
      { spec: { replicas: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment,
      { spec: { replicas: 2 ** 31 } },
      'json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      pod,
      { metadata: { annotations: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string',
    ],
    [
      pod,
      { spec: { containers: [{ env: [{ value: true }] }] } },
      'json: cannot unmarshal bool into Go struct field EnvVar.spec.containers.env.value of type string',
    ],
    [
      pod,
      { spec: { containers: [{ args: ['a', 1] }] } },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.args of type string',
    ],
    [
      pod,
      { spec: { containers: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [pod, { spec: [] }, 'json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec'],
    [pod, [], 'json: cannot unmarshal array into Go value of type v1.Pod'],
    [pod, 'x', 'json: cannot unmarshal string into Go value of type v1.Pod'],
    [
      configMap,
      { data: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [configMap, { binaryData: { a: '%%' } }, 'illegal base64 data at input byte 0'],
    [
      pod,
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x"',
    ],
    [
      pod,
      { spec: { containers: [{ resources: { limits: { cpu: 'x' } } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('%#: the first value of a wrong type is an error', (schema, value, message) => {
    expect(() => read(schema, value)).toThrow(expect.objectContaining({ message }));
  });

  it('brings values into their printed form', () => {
    const value = {
      metadata: { creationTimestamp: '2026-01-02T05:04:05.9+02:00', deletionTimestamp: '0001-01-01T00:00:00Z' },
      spec: {
        containers: [{ name: 'a', resources: { limits: { cpu: 0.5, memory: '1024Mi', x: 2n } } }],
        overhead: { cpu: null },
      },
    };
    expect(read(pod, value).object).toEqual({
      metadata: { creationTimestamp: '2026-01-02T03:04:05Z' },
      spec: {
        containers: [{ name: 'a', resources: { limits: { cpu: '500m', memory: '1Gi', x: '2' } } }],
        overhead: { cpu: '0' },
      },
    });
  });

  it('drops nulls and zero values that would not be printed, and keeps those that mean something', () => {
    const value = {
      metadata: { name: '', labels: {}, finalizers: [], annotations: null },
      spec: {
        replicas: 0,
        paused: false,
        minReadySeconds: 0,
        selector: {},
        template: { spec: { hostNetwork: false, automountServiceAccountToken: false } },
      },
    };
    expect(read(deployment, value).object).toEqual({
      metadata: {},
      spec: { replicas: 0, selector: {}, template: { spec: { automountServiceAccountToken: false } } },
    });
    expect(read(configMap, { data: { a: null, b: '' } }).object).toEqual({ data: { a: '', b: '' } });
  });

  it('reads schemas of custom resources, booleans and lists where they may stand', () => {
    const schema = {
      properties: {
        a: { items: { type: 'string' } },
        b: { items: [{ type: 'string' }], default: { x: null, y: 9007199254740993n } },
      },
      additionalProperties: false,
      dependencies: { a: ['b'], b: { type: 'object' } },
    };
    const value = {
      spec: { versions: [{ schema: { openAPIV3Schema: schema }, served: true, storage: true, name: 'v1' }] },
    };
    const { object, problems } = read(crd, value);
    expect(problems).toEqual([]);
    expect(object.spec).toEqual(value.spec);
  });

  it('gives back the same object when there was nothing to change, and never changes its argument', () => {
    const clean = { kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
    expect(read(configMap, clean).object).toBe(clean);
    const frozen = Object.freeze({ data: Object.freeze({ a: null }), x: 1, metadata: Object.freeze({ name: 'a' }) });
    const { object } = read(configMap, frozen as unknown as JsonObject);
    expect(object).toEqual({ data: { a: '' }, metadata: { name: 'a' } });
    expect(object.metadata).toBe(frozen.metadata);
  });

  it('refuses what is nested too deeply with a typed error', () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 50_000; i++) schema = { properties: { a: schema } };
    const value = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    expect(() => read(crd, value)).toThrow('exceeded max depth');
  });

  it.each<[string, (schema: JsonObject) => JsonObject]>([
    ['not', (schema) => ({ not: schema })],
    ['properties', (schema) => ({ properties: { a: schema } })],
    ['items', (schema) => ({ items: schema })],
    ['a list of items', (schema) => ({ items: [schema] })],
    ['additionalProperties', (schema) => ({ additionalProperties: schema })],
    ['allOf', (schema) => ({ allOf: [schema] })],
  ])('lets nothing in that is too deep for the binary form: %s', (_member, around) => {
    let schema: JsonObject = { default: { deep: [1] }, maximum: 1 };
    let accepted: ReturnType<typeof read>['object'] | undefined;
    const metadata = { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' };
    const deepen = (): void => {
      for (let depth = 1; depth < 1_000; depth++) {
        schema = around(schema);
        accepted = read(crd, { metadata, spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } }).object;
      }
    };
    expect(deepen).toThrow('exceeded max depth');
    expect(decodeObject(crd, encodeObject(crd, accepted ?? {}))).toMatchObject({ metadata });
  });

  it('reads its own output without a change (property)', () => {
    const leaf = fc.constantFrom<JsonValue>(
      null,
      '',
      'x',
      0,
      1,
      1.5,
      true,
      false,
      [],
      {},
      '1000m',
      '2026-01-02T03:04:05Z',
    );
    const names = fc.constantFrom(
      'metadata',
      'spec',
      'containers',
      'name',
      'labels',
      'replicas',
      'resources',
      'limits',
      'cpu',
      'creationTimestamp',
      'nope',
    );
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof({ maxDepth: 6 }, leaf, fc.dictionary(names, tie('tree')), fc.array(tie('tree'), { maxLength: 2 })),
    }));
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.record({ metadata: fc.dictionary(names, tree), spec: fc.dictionary(names, tree) }, { requiredKeys: [] }),
        (value) => {
          const before = structuredClone(value);
          try {
            const { object } = read(pod, value);
            const again = read(pod, object as JsonObject);
            expect(again.object).toBe(object);
            expect(again.problems).toEqual([]);
            accepted++;
          } catch (error) {
            expect(['ObjectReadError', 'TimeError', 'QuantityError']).toContain((error as Error).name);
          }
          expect(value).toEqual(before);
        },
      ),
      { seed: 20260114, numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const samples = join(process.env.ORCH_SHARED ?? join(root, '../shared'), 'facts/samples');
const files = existsSync(samples)
  ? readdirSync(samples).filter((file) => file.endsWith('.json') && !file.startsWith('watch'))
  : [];

describe.skipIf(files.length === 0)('objects of every kind', () => {
  it.each(files)('%s has no unknown field and no value of a wrong type', (file) => {
    const text = readFileSync(join(samples, file));
    const { apiVersion, kind } = JSON.parse(text.toString()) as { apiVersion: string; kind: string };
    const gv = parseApiVersion(apiVersion);
    const found = gv && scheme.kind(gv.group, gv.version, kind);
    if (!found) throw new Error(`no schema of ${apiVersion} ${kind}`);
    const { object, problems } = decodeJsonObject(found.schema, text);
    expect(problems).toEqual([]);
    expect(object.kind).toBe(kind);
  });
});
