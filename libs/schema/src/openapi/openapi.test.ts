import type { JsonObject, JsonValue, NamingProfile } from '@orch/machinery';
import { namesOf } from '@orch/machinery';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { loadScheme } from '../scheme.js';
import { atOnce } from '../structural/index.js';
import { encodeOpenApiV2Protobuf } from './gnostic/index.js';
import type { OpenApiSource } from './source.js';
import { openApiV2Document } from './v2.js';
import { OpenApiV3 } from './v3.js';

const PROFILES: readonly NamingProfile[] = ['orch', 'kubernetes'];

function sourceOf(profile: NamingProfile): OpenApiSource {
  const scheme = loadScheme(namesOf(profile));
  const served = scheme.resources.filter(({ servedByDefault }) => servedByDefault);
  const names = [...new Set(served.map(({ group }) => group))];
  return { scheme, groups: names.map((name) => served.filter(({ group }) => group === name)), release: 'v1.27.0' };
}

/** A document of version 3, as it is sent. */
function documentAt(source: OpenApiSource, path: string): JsonObject {
  return atOnce(new OpenApiV3(source).document(path));
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectAt = (value: JsonValue | undefined, ...path: string[]): JsonObject => {
  let here = value;
  for (const name of path) here = isObject(here) ? here[name] : undefined;
  if (!isObject(here)) throw new Error(`nothing at ${path.join('.')}`);
  return here;
};

/** Every value of a `$ref` in a document. */
function references(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === '$ref' && typeof item === 'string' ? [item] : references(item),
  );
}

/** Operations as `[method and path, operation]`. */
const operations = (document: JsonObject): [string, JsonObject][] =>
  Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(objectAt(item)).map(([method, operation]): [string, JsonObject] => [
      `${method} ${path}`,
      objectAt(operation),
    ]),
  );

/** What must hold in either version of OpenAPI. */
function expectSound(document: JsonObject, models: JsonObject, prefix: string): void {
  const missing = references(document).filter((reference) => !(reference.replace(prefix, '') in models));
  expect(missing).toEqual([]);
  const all = operations(document);
  const ids = all.map(([, operation]) => operation.operationId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(all.flatMap(([place, operation]) => parameterProblems(place, operation))).toEqual([]);
}

/** Parameters that are missing, too many or there twice. */
function parameterProblems(place: string, operation: JsonObject): string[] {
  const parameters = operation.parameters as JsonObject[];
  // A proxy has the rest of its path both ways.
  const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => String(name));
  const wanted = [...place.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  return [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${place}: ${name} twice`),
    ...wanted.filter((name) => !inPath.includes(name)).map((name) => `${place}: no ${name}`),
    ...inPath.filter((name) => !wanted.includes(name)).map((name) => `${place}: ${name} not in path`),
  ];
}

describe.each(PROFILES)('OpenAPI 3, %s names', (profile) => {
  const source = sourceOf(profile);
  const { names } = source.scheme;

  it('has a sound document for every group-version, for every group and for what is above them', () => {
    const v3 = new OpenApiV3(source);
    const versions = new Set(
      source.groups.flat().map(({ group, version }) => `api${group && `s/${group}`}/${version}`),
    );
    const groups = [...versions].flatMap((path) =>
      path.startsWith('apis/') ? [path.slice(0, path.lastIndexOf('/'))] : [],
    );
    const all = new Set(['api', 'apis', 'version', ...groups, ...versions]);
    expect(v3.paths).toEqual([...all].sort());
    for (const path of v3.paths) {
      const document = atOnce(v3.document(path));
      expectSound(document, objectAt(document, 'components', 'schemas'), '#/components/schemas/');
    }
  });

  it('knows no document of what is not served', () => {
    const v3 = new OpenApiV3(source);
    for (const path of ['', 'api/v2', '__proto__', 'apis/apps/v1beta1']) {
      expect(v3.has(path)).toBe(false);
      expect(() => v3.document(path)).toThrow(RangeError);
    }
  });

  it('knows which documents others have, too', () => {
    const full = new OpenApiV3(source);
    const less = new OpenApiV3({
      ...source,
      groups: source.groups.map((group) => group.filter(({ resource }) => resource !== 'daemonsets')),
    });
    expect(less.describesTheSame('apis/apps/v1', full)).toBe(false);
    expect(less.describesTheSame('apis/batch/v1', full)).toBe(true);
    expect(atOnce(less.document('apis/batch/v1'))).toEqual(atOnce(full.document('apis/batch/v1')));
    expect(less.describesTheSame('apis/none.example.com/v1', full)).toBe(false);
  });

  it('looks through a group that stays once, whatever comes beside it', () => {
    const [first] = source.groups.flat();
    if (!first) throw new Error('nothing is served');
    let looked = 0;
    const counted = Object.defineProperty({ ...first, group: 'counted.example.com' }, 'subresources', {
      get() {
        looked++;
        return [];
      },
    });
    const groups = [...source.groups, [counted]];
    const before = new OpenApiV3({ ...source, groups });
    expect(looked).toBeGreaterThan(0);
    const once = looked;
    const after = new OpenApiV3({ ...source, groups: [...groups, [{ ...first, group: 'new.example.com' }]] });
    expect(before.describesTheSame(`apis/counted.example.com/${first.version}`, after)).toBe(true);
    expect(looked).toBe(once);
  });

  it('says of a patch what it changes and how it may be checked', () => {
    const document = documentAt(source, 'apis/apps/v1');
    const patch = objectAt(document, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch');
    expect(patch).toMatchObject({
      operationId: 'patchAppsV1NamespacedDeployment',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    });
    expect((patch.parameters as JsonObject[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['name', 'namespace', 'dryRun', 'force', 'fieldManager', 'fieldValidation']),
    );
    expect(Object.keys(objectAt(patch, 'requestBody', 'content'))).toContain('application/apply-patch+yaml');
  });

  it('describes fields with their types, defaults and merge keys', () => {
    const schemas = objectAt(documentAt(source, 'api/v1'), 'components', 'schemas');
    const model = (id: string) => source.scheme.struct(id).openapi;
    const ports = objectAt(schemas[model('core/v1.ServiceSpec')], 'properties', 'ports');
    expect(ports).toMatchObject({
      type: 'array',
      items: { $ref: `#/components/schemas/${model('core/v1.ServicePort')}` },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'port',
    });
    expect(objectAt(schemas[model('core/v1.ServicePort')], 'properties', 'protocol')).toMatchObject({
      type: 'string',
      default: 'TCP',
      enum: ['SCTP', 'TCP', 'UDP'],
    });
    expect(schemas[model('core/v1.ServicePort')]).toMatchObject({ required: ['port'] });
    expect(schemas[model('core/v1.Pod')]).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
    });
  });

  it('says of no list that it is one of the values of its items', () => {
    const schemas = Object.values(objectAt(documentAt(source, 'api/v1'), 'components', 'schemas'));
    const fields = schemas.flatMap((schema) =>
      Object.values(objectAt(schema).properties ?? {}).map((field) => objectAt(field)),
    );
    expect(fields.filter((field) => field.type === 'array' && 'enum' in field)).toEqual([]);
    expect(fields.some((field) => field.type === 'string' && 'enum' in field)).toBe(true);
  });

  it('says of connections that they have no body of their own, and how options are written', () => {
    const pod = '/api/v1/namespaces/{namespace}/pods/{name}';
    const paths = objectAt(documentAt(source, 'api/v1'), 'paths');
    expect(objectAt(paths, `${pod}/proxy`, 'patch')).not.toHaveProperty('requestBody');
    const [ports] = (objectAt(paths, `${pod}/portforward`, 'get').parameters as JsonObject[]).filter(
      ({ name }) => name === 'ports',
    );
    expect(ports).toMatchObject({ in: 'query', schema: { type: 'integer' } });
  });

  it('says that a proxy takes every method on every path, and of no other connection', () => {
    const paths = objectAt(documentAt(source, 'api/v1'), 'paths');
    const all = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'];
    for (const place of [
      'nodes/{name}',
      'namespaces/{namespace}/pods/{name}',
      'namespaces/{namespace}/services/{name}',
    ])
      for (const path of ['proxy', 'proxy/{path}'])
        expect(Object.keys(objectAt(paths, `/api/v1/${place}/${path}`)).sort()).toEqual(all);
    expect(Object.keys(objectAt(paths, '/api/v1/namespaces/{namespace}/pods/{name}/exec')).sort()).toEqual([
      'get',
      'post',
    ]);
    expect(objectAt(paths, '/api/v1/nodes/{name}/proxy/{path}', 'head').operationId).toBe(
      'connectCoreV1HeadNodeProxyWithPath',
    );
  });

  it('has watches under their old paths, of collections and objects that can be watched', () => {
    const paths = objectAt(documentAt(source, 'api/v1'), 'paths');
    const watches = (resource: string) =>
      Object.keys(paths)
        .filter((path) => path.includes('/watch/') && path.includes(`/${resource}`))
        .map((path) => {
          const { operationId, 'x-kubernetes-action': action } = objectAt(paths, path, 'get');
          return [path, operationId, action];
        });
    expect(watches('secrets')).toEqual([
      ['/api/v1/watch/namespaces/{namespace}/secrets', 'watchCoreV1NamespacedSecretList', 'watchlist'],
      ['/api/v1/watch/namespaces/{namespace}/secrets/{name}', 'watchCoreV1NamespacedSecret', 'watch'],
      ['/api/v1/watch/secrets', 'watchCoreV1SecretListForAllNamespaces', 'watchlist'],
    ]);
    expect(watches('nodes')).toEqual([
      ['/api/v1/watch/nodes', 'watchCoreV1NodeList', 'watchlist'],
      ['/api/v1/watch/nodes/{name}', 'watchCoreV1Node', 'watch'],
    ]);
    expect(watches('componentstatuses')).toEqual([]);
    expect(watches('bindings')).toEqual([]);
  });

  it('says of a union which field is set with which value', () => {
    const schemas = objectAt(documentAt(source, 'api/v1'), 'components', 'schemas');
    expect(schemas[source.scheme.struct('core/v1.SeccompProfile').openapi]).toMatchObject({
      'x-kubernetes-unions': [
        { discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } },
      ],
    });
    const marked = Object.values(schemas).filter((schema) => 'x-kubernetes-unions' in objectAt(schema));
    expect(marked).toHaveLength(1);
  });

  it('names other groups by their own names', () => {
    const rbac = names.group('rbac.authorization.orch.io');
    const document = documentAt(source, `apis/${rbac}/v1`);
    expect(objectAt(document, 'paths', `/apis/${rbac}/v1/clusterroles`, 'get').operationId).toBe(
      'listRbacAuthorizationV1ClusterRole',
    );
  });

  it('describes kinds that nothing declares', () => {
    const [any] = source.groups.flat();
    if (!any) throw new Error('nothing is served');
    const schema = {
      ...source.scheme.struct('core/v1.ConfigMap'),
      id: 'example.com/v1.Widget',
      openapi: 'com.example.v1.Widget',
    };
    const widget = {
      ...any,
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      listKind: 'WidgetList',
      resource: 'widgets',
      singular: 'widget',
      namespaced: true,
      verbs: ['get', 'list', 'create'],
      subresources: [],
      schema,
    };
    const document = documentAt({ ...source, groups: [[widget]] }, 'apis/example.com/v1');
    const schemas = objectAt(document, 'components', 'schemas');
    expectSound(document, schemas, '#/components/schemas/');
    expect(objectAt(schemas, 'com.example.v1.WidgetList', 'properties', 'items')).toMatchObject({
      items: { $ref: '#/components/schemas/com.example.v1.Widget' },
    });
    expect(operations(document).map(([place]) => place)).toContain('get /apis/example.com/v1/widgets');
  });
});

describe.each(PROFILES)('OpenAPI 2, %s names', (profile) => {
  const document = atOnce(openApiV2Document(sourceOf(profile)));

  it('is sound', () => {
    expectSound(document, objectAt(document, 'definitions'), '#/definitions/');
  });

  it('has a binary form that other decoders read', () => {
    const bytes = atOnce(encodeOpenApiV2Protobuf(document));
    const decoded = GNOSTIC.lookupType('Document').decode(bytes).toJSON();
    const found = decoded as unknown as {
      swagger: string;
      info: { version: string };
      paths: { path: { name: string }[] };
      definitions: {
        additionalProperties: {
          name: string;
          value: { description?: string; properties?: { additionalProperties: { name: string }[] } };
        }[];
      };
    };
    expect([found.swagger, found.info.version]).toEqual(['2.0', 'v1.27.0']);
    expect(found.paths.path.map(({ name }) => name)).toEqual(Object.keys(objectAt(document, 'paths')));
    const definitions = objectAt(document, 'definitions');
    expect(found.definitions.additionalProperties.map(({ name }) => name)).toEqual(Object.keys(definitions));
    for (const { name, value } of found.definitions.additionalProperties) {
      const definition = objectAt(definitions[name]);
      expect(value.description).toBe(definition.description);
      const properties = isObject(definition.properties) ? Object.keys(definition.properties) : undefined;
      expect(value.properties?.additionalProperties.map((property) => property.name)).toEqual(properties);
    }
  });

  it('refuses to lose members', () => {
    expect(() => atOnce(encodeOpenApiV2Protobuf({ swagger: '2.0', host: 'example.com' }))).toThrow('host');
  });
});

/** The messages that the test looks into, with the numbers of gnostic's openapiv2.proto. */
const GNOSTIC = protobuf.Root.fromJSON({
  nested: {
    Document: {
      fields: {
        swagger: { type: 'string', id: 1 },
        info: { type: 'Info', id: 2 },
        paths: { type: 'Paths', id: 8 },
        definitions: { type: 'Definitions', id: 9 },
      },
    },
    Info: { fields: { title: { type: 'string', id: 1 }, version: { type: 'string', id: 2 } } },
    Paths: { fields: { path: { rule: 'repeated', type: 'NamedPathItem', id: 2 } } },
    NamedPathItem: { fields: { name: { type: 'string', id: 1 } } },
    Definitions: { fields: { additionalProperties: { rule: 'repeated', type: 'NamedSchema', id: 1 } } },
    NamedSchema: { fields: { name: { type: 'string', id: 1 }, value: { type: 'Schema', id: 2 } } },
    Schema: { fields: { description: { type: 'string', id: 4 }, properties: { type: 'Properties', id: 25 } } },
    Properties: { fields: { additionalProperties: { rule: 'repeated', type: 'NamedSchema', id: 1 } } },
  },
});

it('names any value at all after the package that holds such values', () => {
  const models = objectAt(atOnce(openApiV2Document(sourceOf('kubernetes'))), 'definitions');
  const any = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON';
  const schema = objectAt(models, any.replace('JSON', 'JSONSchemaProps'), 'properties', 'default');
  expect([schema.$ref, models[any]]).toEqual([`#/definitions/${any}`, {}]);
});

it.each(PROFILES)('what came after the release is in no document unless it is served, %s names', (profile) => {
  const source = sourceOf(profile);
  const isLaterKind = (name: string) => name.includes('ValidatingAdmissionPolicy') || name.endsWith('.ParamRef');
  const v2 = objectAt(atOnce(openApiV2Document(source)), 'definitions');
  expect(Object.keys(v2).filter(isLaterKind)).toEqual([]);
  const group = namesOf(profile).group('admissionregistration.orch.io');
  const v3 = objectAt(documentAt(source, `apis/${group}/v1`), 'components', 'schemas');
  expect(Object.keys(v3).filter(isLaterKind)).toEqual([]);
  expect(Object.keys(v3).filter((name) => name.endsWith('.v1.MatchCondition'))).toHaveLength(1);
});
