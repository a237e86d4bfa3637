import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@orch/codec';
import { type ApiObject, copy, type FieldError, type JsonObject, namesOf } from '@orch/machinery';
import { atOnce, deprecationWarning, fillDefaults, normalizeObject, SchemaPool } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { STANDARD_SETTINGS } from '../rules/settings.js';
import { withFeatures } from '../testing/settings.js';
import { through } from '../testing/through.js';
import { type CustomVersion, customVersions } from './custom-kind.js';

const NAMES = {
  plural: 'things',
  singular: 'thing',
  kind: 'Thing',
  listKind: 'ThingList',
  shortNames: ['th'],
  categories: ['all'],
};
type Version = Readonly<Record<string, unknown>>;
const VERSION: Version = { name: 'v1', served: true, storage: true };

const definitionOf = (...versions: readonly Version[]): JsonObject => ({
  spec: { group: 'example.test', scope: 'Namespaced', names: NAMES, versions: versions as JsonObject[] },
  status: { acceptedNames: NAMES },
});

const versionsOf = (versions: readonly Version[], settings = STANDARD_SETTINGS): CustomVersion[] =>
  customVersions(definitionOf(...versions), namesOf('kubernetes'), { ...settings, pool: new SchemaPool() });

/** The one version of a definition that has a schema, or something besides. */
function versionOf(more: Version, settings = STANDARD_SETTINGS): CustomVersion {
  const [made] = versionsOf([{ ...VERSION, ...more }], settings);
  if (!made) throw new Error('no version');
  return made;
}

const reported = (errors: Iterable<FieldError[]>): string[] =>
  [...errors].flat().map(({ field, message }) => `${field}: ${message}`);

const schemaOf = (openAPIV3Schema: object): Version => ({ schema: { openAPIV3Schema } });
const ANYTHING = schemaOf({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
const SCALE = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

describe('what is served of a definition', () => {
  it('is what it says, under the names that were accepted', () => {
    const definition = definitionOf({ ...VERSION, subresources: { status: {}, scale: SCALE } });
    const renamed = { ...definition, status: { acceptedNames: { ...NAMES, kind: 'Accepted', shortNames: [] } } };
    const settings = { ...STANDARD_SETTINGS, pool: new SchemaPool() };
    const [made] = customVersions(renamed as JsonObject, namesOf('kubernetes'), settings);
    expect(made?.definition).toMatchObject({
      group: 'example.test',
      version: 'v1',
      resource: 'things',
      singular: 'thing',
      kind: 'Accepted',
      listKind: 'ThingList',
      shortNames: [],
      categories: ['all'],
      namespaced: true,
      subresources: [
        { name: 'status', group: 'example.test', version: 'v1', kind: 'Accepted', verbs: ['get', 'patch', 'update'] },
        { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
      ],
      storage: { group: 'example.test', version: 'v1', resource: 'things', kind: 'Accepted' },
      groupPriority: 1000,
      versionPriority: 100,
    });
  });

  it('is stored in one version, whichever is asked for', () => {
    const [old, young] = versionsOf([{ ...VERSION, name: 'v1beta1', storage: false }, VERSION]);
    expect(old?.definition.storage).toEqual(young?.definition.storage);
    expect(old?.definition).toMatchObject({ version: 'v1beta1', storage: { version: 'v1' } });
  });

  it('is in versions that are served, and others are known of', () => {
    const made = versionsOf([
      { ...VERSION, served: false, storage: true },
      { ...VERSION, name: 'v2', storage: false },
    ]);
    expect(made.map(({ isServed, definition }) => [definition.version, isServed])).toEqual([
      ['v1', false],
      ['v2', true],
    ]);
  });

  it('is read when an object is first looked at', () => {
    const schema = {
      get type(): string {
        throw new Error('looked at');
      },
    };
    expect(() => versionOf(schemaOf({ type: 'object', properties: { spec: schema } }))).not.toThrow();
  });
});

describe('a deprecated version', () => {
  const warningOf = (...versions: readonly Version[]) => {
    const [first] = versionsOf(versions.map((version) => ({ ...VERSION, ...version })));
    return first && deprecationWarning(first.definition);
  };

  it('is warned of, and the best that is newer, served and not deprecated is named', () => {
    expect(
      warningOf(
        { name: 'v1beta1', deprecated: true },
        { name: 'v1beta2' },
        { name: 'v1' },
        { name: 'v2', served: false },
        { name: 'v3', deprecated: true },
        { name: 'v1alpha1' },
      ),
    ).toBe('example.test/v1beta1 Thing is deprecated; use example.test/v1 Thing');
  });

  it('is warned of without another where there is only an older one', () => {
    const older = [{ name: 'v2', deprecated: true }, { name: 'v1' }];
    expect(warningOf(...older)).toBe('example.test/v2 Thing is deprecated');
  });

  it('is warned of in its own words', () => {
    expect(warningOf({ deprecated: true, deprecationWarning: 'go away' })).toBe('go away');
  });

  it('is told from others', () => {
    expect(warningOf({ deprecated: false })).toBeUndefined();
  });
});

describe('writes', () => {
  const metadata = { name: 'a', generation: 4, labels: { a: '1' }, managedFields: [] };
  const before: ApiObject = { metadata, spec: { a: 1 }, status: { b: 1 }, more: [1] };
  const WITH_STATUS = { subresources: { status: {} } };
  const updated = (made: CustomVersion, change: object, subresource = ''): ApiObject => {
    const object: ApiObject = { ...copy(before), ...change };
    made.rules.prepareForUpdate(object, before, through(subresource));
    return object;
  };

  it('need a version of what they replace, and never create it', () => {
    expect(versionOf({}).rules).toMatchObject({
      unconditionalUpdate: false,
      createOnUpdate: false,
      nameRule: 'subdomain',
      selectableFieldNames: [],
    });
  });

  it.each([
    ['with a status of its own', WITH_STATUS, { metadata: { name: 'a', generation: 1 }, spec: {} }],
    ['without', {}, { metadata: { name: 'a', generation: 1 }, spec: {}, status: { b: 2 } }],
  ])('create objects of the first generation, %s', (_what, version, expected) => {
    const object: ApiObject = { metadata: { name: 'a', generation: 9 }, spec: {}, status: { b: 2 } };
    versionOf(version).rules.prepareForCreate(object, through());
    expect(object).toEqual(expected);
  });

  it.each([
    ['spec', { spec: { a: 2 } }, 5, 5],
    ['any other member', { more: [2] }, 5, 5],
    ['an empty member', { empty: {} }, 5, 5],
    ['status', { status: { b: 2 } }, 4, 5],
    ['metadata', { metadata: { ...metadata, labels: {} } }, 4, 4],
    ['nothing', {}, 4, 4],
  ])('of %s count the generation where they change what is desired', (_what, change, separate, together) => {
    expect(updated(versionOf(WITH_STATUS), change).metadata?.generation).toBe(separate);
    expect(updated(versionOf({}), change).metadata?.generation).toBe(together);
  });

  it('of the object leave a separate status as it is', () => {
    expect(updated(versionOf(WITH_STATUS), { status: { b: 2 } }).status).toEqual({ b: 1 });
    expect(updated(versionOf({}), { status: { b: 2 } }).status).toEqual({ b: 2 });
  });

  it('of the status take nothing else but owners of fields', () => {
    const managedFields = [{ manager: 'm', operation: 'Update' as const }];
    const sent = { resourceVersion: '7', name: 'a', labels: { a: '2' }, annotations: { b: '1' }, managedFields };
    const change = { metadata: sent, spec: { a: 2 }, status: { b: 2 }, more: undefined, other: 1 };
    expect(updated(versionOf(WITH_STATUS), change, 'status')).toEqual({
      metadata: { ...metadata, resourceVersion: '7', managedFields },
      spec: { a: 1 },
      status: { b: 2 },
      more: [1],
    });
  });

  it('say nothing of what they leave as it is', () => {
    const { resetFields } = versionOf(WITH_STATUS).rules;
    expect([resetFields(''), resetFields('status')]).toEqual([[['status']], [['spec']]]);
    expect(versionOf({}).rules.resetFields('')).toEqual([]);
  });
});

describe('scale', () => {
  const { rules } = versionOf({ ...ANYTHING, subresources: { status: {}, scale: SCALE } });
  const refused = (object: object, subresource?: string) => {
    const named: ApiObject = { metadata: { name: 'a' }, ...object };
    return reported(
      subresource === undefined ? rules.validateCreate(named) : rules.validateUpdate(named, {}, subresource),
    );
  };

  it('is read and written where the definition says', () => {
    const object: ApiObject = { spec: { replicas: 2 }, status: { replicas: 1, selector: 'a=b' } };
    expect(rules.scale?.read(object)).toEqual({ replicas: 2, statusReplicas: 1, selector: 'a=b' });
    rules.scale?.write(object, 5);
    expect(object.spec).toEqual({ replicas: 5 });
    const empty: ApiObject = {};
    expect(rules.scale?.read(empty)).toEqual({ replicas: undefined, statusReplicas: 0, selector: '' });
    rules.scale?.write(empty, 5);
    expect(empty).toEqual({ spec: { replicas: 5 } });
    expect(versionOf(ANYTHING).rules.scale).toBeUndefined();
  });

  it.each([
    [{ spec: { replicas: '2' } }, '.spec.replicas accessor error: 2 is of the type string, expected int64'],
    [{ spec: { replicas: 1.5 } }, '.spec.replicas accessor error: 1.5 is of the type float64, expected int64'],
    [{ spec: { replicas: null } }, '.spec.replicas accessor error: <nil> is of the type <nil>, expected int64'],
    [
      { spec: { replicas: { b: [1, 'x'], a: null } } },
      '.spec.replicas accessor error: map[a:<nil> b:[1 x]] is of the type map[string]interface {}, expected int64',
    ],
    [
      { spec: [true] },
      '.spec.replicas accessor error: [true] is of the type []interface {}, expected map[string]interface{}',
    ],
  ])('refuses %j', (object, message) => {
    expect(refused(object)).toEqual([`.spec.replicas: Invalid value: 0: ${message}`]);
    expect(() => rules.scale?.read(object)).toThrow(message);
  });

  it('refuses integers of more than 64 bits', () => {
    const message = '.spec.replicas accessor error: 9.223372036854776e+18 is of the type float64, expected int64';
    expect(() => rules.scale?.read({ spec: { replicas: 2n ** 63n } } as JsonObject)).toThrow(message);
    expect(rules.scale?.read({ spec: { replicas: 2n ** 63n - 1n } } as JsonObject)?.replicas).toBe(2 ** 63);
  });

  it('is not written over other values', () => {
    expect(() => rules.scale?.write({ spec: 1 }, 1)).toThrow(
      'value cannot be set because .spec is not a map[string]interface{}',
    );
  });

  it('has counts and a selector', () => {
    const status = { replicas: -1, selector: {} };
    const ofStatus = [
      '.status.replicas: Invalid value: -1: should be a non-negative integer',
      '.status.selector: Invalid value: "": .status.selector accessor error: map[] is of the type map[string]interface {}, expected string',
    ];
    const object = { spec: { replicas: 2 ** 31 }, status };
    const ofSpec = '.spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647';
    expect(refused(object)).toEqual([ofSpec, ...ofStatus]);
    expect(refused(object, '')).toEqual([ofSpec, ...ofStatus]);
    expect(refused(object, 'status')).toEqual(ofStatus);
  });
});

describe('rows', () => {
  const column = (name: string, jsonPath: string) => ({ name, type: 'string', jsonPath });
  const shown = (...additionalPrinterColumns: readonly object[]) => {
    const { definition, rules } = versionOf({ additionalPrinterColumns });
    const object: ApiObject = { metadata: { name: 'n', creationTimestamp: '2026-01-01T00:00:00Z' }, a: 'x', b: 'y' };
    const names = definition.columns.map(({ name }) => name);
    return [names, rules.cells(object, Date.parse('2026-01-01T01:00:00Z'))];
  };

  it('show the name, and behind it the columns of the version, be they called the same', () => {
    expect(shown(column('A', '.a'), column('A', '.b'))).toEqual([
      ['Name', 'A', 'A'],
      ['n', 'x', 'y'],
    ]);
  });

  it('show the age where no columns are declared', () => {
    expect(shown()).toEqual([
      ['Name', 'Age'],
      ['n', '60m'],
    ]);
  });

  it.each([
    [
      [column('A', '.a'), column('B', '.b['), column('C', '.b')],
      ['Name', 'A'],
      ['n', 'x'],
    ],
    [[column('B', '.b['), column('C', '.b')], ['Name'], ['n']],
  ])('end before the first column that cannot be read', (columns, names, cells) => {
    expect(shown(...columns)).toEqual([names, cells]);
  });
});

describe('rules in CEL', () => {
  const version: Version = {
    ...schemaOf({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['a'],
          properties: { a: { type: 'integer' }, e: { type: 'object', 'x-kubernetes-embedded-resource': true } },
          'x-kubernetes-validations': [{ rule: 'self.a > 0' }, { rule: 'self.a >= oldSelf.a', message: 'never falls' }],
        },
      },
    }),
    subresources: { status: {} },
  };
  const { rules } = versionOf(version);
  const object = (spec: object): ApiObject => ({ metadata: { name: 'a' }, spec });

  it('judge what is there, and what becomes of it', () => {
    expect(reported(rules.validateCreate(object({ a: 0 })))).toEqual([
      'spec: Invalid value: "object": failed rule: self.a > 0',
    ]);
    expect(reported(rules.validateUpdate(object({ a: 1 }), object({ a: 2 })))).toEqual([
      'spec: Invalid value: "object": never falls',
    ]);
  });

  it('that judge the whole object name it as the release does', () => {
    const whole = { type: 'object', 'x-kubernetes-validations': [{ rule: "self.metadata.name != 'a'" }] };
    const { rules: ofWhole } = versionOf(schemaOf(whole));
    expect(reported(ofWhole.validateCreate(object({})))).toEqual([
      '<nil>: Invalid value: "object": failed rule: self.metadata.name != \'a\'',
    ]);
  });

  it('judge objects of which only the status is written, but not the objects in them', () => {
    const [small, large] = [object({ a: 1, e: {} }), object({ a: 2 })];
    expect(reported(rules.validateUpdate(small, large, 'status'))).toEqual([
      'spec: Invalid value: "object": never falls',
    ]);
    expect(reported(rules.validateUpdate(small, large))).toEqual([
      'spec.e.apiVersion: Required value: must not be empty',
      'spec.e.kind: Required value: must not be empty',
      NOT_CHECKED,
    ]);
  });

  it('are not asked where their feature is off', () => {
    const { rules: without } = versionOf(version, withFeatures({ CustomResourceValidationExpressions: false }));
    expect(reported(without.validateCreate(object({ a: 0 })))).toEqual([]);
  });

  it('are not asked of what has other faults', () => {
    expect(reported(rules.validateCreate(object({})))).toEqual(['spec.a: Required value', NOT_CHECKED]);
  });
});

const NOT_CHECKED =
  '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

interface Vector {
  readonly id: string;
  readonly schema: JsonObject;
  readonly object: ApiObject;
  readonly old?: ApiObject;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

const shared = process.env.ORCH_SHARED ?? fileURLToPath(new URL('../../../../../shared', import.meta.url));
const facts = join(shared, 'facts/schema-vectors.jsonl');

describe.skipIf(!existsSync(facts))('objects as the release judges them', () => {
  const lines = existsSync(facts) ? readFileSync(facts, 'utf8').trim().split('\n') : [];
  const vectors = lines
    .map((line) => parseJson(Buffer.from(line)).value as unknown as Vector)
    .filter(({ id, errors }) => /^(create|update)\//.test(id) && errors !== undefined);

  it.each(vectors.map((vector) => [vector.id, vector] as const))('%s', (_id, { schema, object, old, errors }) => {
    const { rules, schema: read } = versionOf(schemaOf(schema), withFeatures({ CRDValidationRatcheting: false }));
    const compiled = read();
    const prepare = (given: ApiObject): ApiObject => {
      atOnce(normalizeObject(given, compiled, { dropMalformed: true }));
      atOnce(fillDefaults(given, compiled));
      return given;
    };
    const made = prepare(object);
    const found = reported(old ? rules.validateUpdate(made, prepare(old)) : rules.validateCreate(made));
    // Type and metadata of the object itself are judged as those of all kinds are.
    const expected = errors.filter(({ field }) => !/^(metadata|apiVersion|kind)(\.|\[|$)/.test(field));
    expect(found.sort()).toEqual(expected.map(({ message }) => message).sort());
  });

  it('are many', () => {
    expect(vectors.length).toBeGreaterThan(150);
  });
});
