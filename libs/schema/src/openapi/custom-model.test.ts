import { type JsonObject, namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { ResourceDescription } from '../model.js';
import { loadScheme } from '../scheme.js';
import { atOnce } from '../structural/index.js';
import { CustomModel } from './custom-model.js';
import {
  type DocumentedResource,
  encodeOpenApiV2Protobuf,
  encodeOpenApiV3Protobuf,
  type OpenApiSource,
  OpenApiV3,
  openApiV2Document,
} from './index.js';

const scheme = loadScheme(namesOf('kubernetes'));
const meta = { objectMeta: scheme.struct('meta/v1.ObjectMeta'), listMeta: scheme.struct('meta/v1.ListMeta') };
const KIND = { group: 'stable.example.com', version: 'v1', kind: 'CronTab' };
const VERBS_OF_PART = ['get', 'patch', 'update'];
const WIDGET: ResourceDescription = {
  ...KIND,
  resource: 'crontabs',
  singular: 'crontab',
  listKind: 'CronTabList',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  subresources: [
    { name: 'status', ...KIND, verbs: VERBS_OF_PART },
    { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: VERBS_OF_PART },
  ],
  stored: true,
  storage: { ...KIND, resource: 'crontabs' },
  servedByDefault: true,
  columns: [],
  lifecycle: {},
  groupPriority: 1000,
  versionPriority: 100,
};

const sourceOf = (
  schema: JsonObject | undefined,
  preservesUnknown = false,
  selectable: readonly string[] = [],
): OpenApiSource => {
  const made: DocumentedResource = {
    ...WIDGET,
    schema: new CustomModel(WIDGET, { schema, preservesUnknown, selectable }, meta),
  };
  const served = scheme.resources.filter(({ group }) => group === 'apps');
  return { scheme, release: 'v1.27.16', groups: [served, [made]] };
};
type Document = { paths: Record<string, JsonObject>; definitions: Record<string, JsonObject> };
type DocumentV3 = { paths: Record<string, JsonObject>; components: { schemas: Record<string, JsonObject> } };
const v2Of = (...made: Parameters<typeof sourceOf>) => atOnce(openApiV2Document(sourceOf(...made))) as Document;
const v3Of = (...made: Parameters<typeof sourceOf>) =>
  atOnce(new OpenApiV3(sourceOf(...made)).document('apis/stable.example.com/v1')) as DocumentV3;
const NAME = 'com.example.stable.v1.CronTab';
/** The model of a property of the objects, in both versions. */
function publishedAs(property: JsonObject): readonly [unknown, unknown] {
  const schema = { type: 'object', properties: { it: property } };
  const [old, young] = [v2Of(schema).definitions[NAME], v3Of(schema).components.schemas[NAME]];
  const of = (model: JsonObject | undefined) => (model?.properties as JsonObject | undefined)?.it;
  return [of(old), of(young)];
}
const KINDS = 'x-kubernetes-group-version-kind';

describe('models of custom kinds', () => {
  it('go by the group backwards, and say which kinds they are', () => {
    const { definitions } = v2Of({ type: 'object', properties: { spec: { type: 'object' } } });
    expect(definitions[NAME]).toMatchObject({
      properties: { spec: { type: 'object' }, metadata: { $ref: expect.stringMatching(/ObjectMeta$/) } },
      [KINDS]: [KIND],
    });
    expect(definitions[`${NAME}List`]).toMatchObject({
      properties: { items: { type: 'array', items: { $ref: `#/definitions/${NAME}` } } },
      [KINDS]: [{ ...KIND, kind: 'CronTabList' }],
    });
    const { components } = v3Of({ type: 'object', properties: { spec: { type: 'object' } } });
    expect(components.schemas[`${NAME}List`]).toMatchObject({
      properties: { items: { items: { $ref: `#/components/schemas/${NAME}` } } },
    });
    expect(components.schemas[NAME]).toMatchObject({
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { allOf: [expect.anything()] },
      },
    });
  });

  it('say by which fields objects are selected', () => {
    const schema = { type: 'object', properties: { spec: { type: 'object' } } };
    const fields = [{ fieldPath: 'spec.color' }, { fieldPath: 'spec.size' }];
    const [old, young] = [v2Of, v3Of].map((make) => make(schema, false, ['spec.color', 'spec.size']));
    for (const models of [(old as Document).definitions, (young as DocumentV3).components.schemas]) {
      expect(models[NAME]).toMatchObject({ 'x-kubernetes-selectable-fields': fields });
      expect(models[`${NAME}List`]).toMatchObject({ 'x-kubernetes-selectable-fields': fields });
    }
  });

  it.each<[string, JsonObject | undefined, boolean]>([
    ['without a schema', undefined, false],
    ['that keeps what it does not know', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, false],
    ['of a definition that does', { type: 'object', properties: { spec: { type: 'object' } } }, true],
  ])('name no members in version 2 for one %s', (_case, schema, preservesUnknown) => {
    expect(v2Of(schema, preservesUnknown).definitions[NAME]).toEqual({ type: 'object', [KINDS]: [KIND] });
    const young = v3Of(schema, preservesUnknown).components.schemas[NAME];
    expect('properties' in (young ?? {})).toBe(schema !== undefined);
  });

  it('leave out in version 2 what its clients cannot cope with', () => {
    const alternatives = { type: 'string', allOf: [{ minLength: 1 }], anyOf: [{}], oneOf: [{}], not: { enum: ['a'] } };
    expect(publishedAs(alternatives)).toEqual([{ type: 'string' }, alternatives]);
    const nullable = { type: 'object', nullable: true, properties: { a: { type: 'string' } } };
    expect(publishedAs(nullable)).toEqual([{}, nullable]);
    const open = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    };
    expect(publishedAs(open)).toEqual([{ 'x-kubernetes-preserve-unknown-fields': true }, open]);
    const list = { type: 'array', nullable: true, items: { type: 'string' } };
    expect(publishedAs(list)).toEqual([{}, list]);
    const required = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
    };
    expect(publishedAs(required)).toEqual([
      { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } },
      required,
    ]);
  });

  it('say in both what is an integer or a text, how lists are joined, and which rules there are', () => {
    const reported = {
      'x-kubernetes-int-or-string': true,
      description: 'either',
    };
    expect(publishedAs(reported)).toEqual([reported, reported]);
    const list = {
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string', default: 'x' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      'x-kubernetes-validations': [{ rule: 'true' }],
    };
    expect(publishedAs(list)).toEqual([list, list]);
  });

  it('give whole objects their type and metadata', () => {
    const [old, young] = publishedAs({ type: 'object', 'x-kubernetes-embedded-resource': true });
    const whole = { required: ['kind', 'apiVersion'], properties: { kind: { type: 'string' } } };
    expect(old).toMatchObject(whole);
    expect(young).toMatchObject(whole);
    const [open] = publishedAs({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    });
    expect(open).toEqual({ 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true });
  });
});

describe('the binary forms', () => {
  it('have all that definitions may say of objects', () => {
    const bounds = { maximum: 9.5, exclusiveMaximum: true, minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 };
    const sizes = {
      maxLength: 4,
      minLength: 0,
      pattern: '^a',
      maxItems: 3,
      minItems: 1,
      maxProperties: 2,
      minProperties: 1,
    };
    const properties = {
      number: { type: 'number', ...bounds },
      text: { type: 'string', format: 'date', title: 'T', ...sizes, uniqueItems: true, default: 'x', enum: ['x'] },
      any: { type: 'object', additionalProperties: true },
      map: { type: 'object', additionalProperties: { type: 'integer', maximum: 2n ** 60n } },
    };
    const source = sourceOf({ type: 'object', properties } as JsonObject);
    const bytes = atOnce(encodeOpenApiV2Protobuf(atOnce(openApiV2Document(source))));
    expect(bytes.includes('^a')).toBe(true);
    const document = atOnce(new OpenApiV3(source).document('apis/stable.example.com/v1'));
    expect(atOnce(encodeOpenApiV3Protobuf(document)).includes('^a')).toBe(true);
  });
});

describe('operations on custom kinds', () => {
  const PATH = '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs';
  const { paths } = v2Of({ type: 'object' });
  const operation = (path: string, method: string) => paths[path]?.[method] as JsonObject;

  it('are those of objects without a binary form', () => {
    expect(
      Object.keys(paths)
        .filter((path) => path.includes('crontabs'))
        .sort(),
    ).toEqual([
      '/apis/stable.example.com/v1/crontabs',
      PATH,
      `${PATH}/{name}`,
      `${PATH}/{name}/scale`,
      `${PATH}/{name}/status`,
    ]);
    expect(operation(PATH, 'get')).toMatchObject({
      operationId: 'listStableExampleComV1NamespacedCronTab',
      produces: ['application/json', 'application/yaml'],
      tags: ['stableExampleCom_v1'],
    });
    expect(operation(`${PATH}/{name}`, 'patch').consumes).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(operation(`${PATH}/{name}/scale`, 'put')).toMatchObject({
      responses: { 200: { schema: { $ref: expect.stringMatching(/Scale$/) } } },
    });
    expect(operation(`${PATH}/{name}`, 'delete')).toMatchObject({
      responses: { 200: { schema: { $ref: expect.stringMatching(/Status$/) } } },
    });
  });
});
