import type { ApiObject } from '@orch/machinery';
import { customServer, definitionOf, runNamespaceController, version } from '@orch/testing';
import { serverItself } from '@orch/writing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from './endpoint.js';

const SPEC = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, default: 3 },
    color: { type: 'string' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, name: { type: 'string' } },
      },
    },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    replicas: { type: 'integer' },
  },
};
const STATUS = {
  type: 'object',
  properties: { phase: { type: 'string' }, replicas: { type: 'integer' }, selector: { type: 'string' } },
};
const SCHEMA = { type: 'object', properties: { spec: SPEC, status: STATUS } };
const BASE = '/apis/example.test/v1/namespaces/default/widgets';
const widget = (name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: 'example.test/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
  ...more,
});

const server = customServer();
const { ask, raw, serve } = server;
const subresources = { status: {} };

describe('defaults of a status that is a subresource', () => {
  const status = { ...STATUS, default: { replicas: 0 } };
  const phase = { type: 'string', default: 'New' };
  const defaulted = { ...status, properties: { ...STATUS.properties, phase } };
  const schema = { type: 'object', properties: { spec: SPEC, status: defaulted } };
  const NEW = { replicas: 0, phase: 'New' };
  beforeEach(() => serve(definitionOf([version('v1', schema, { subresources })])));
  const statusAt = async (name: string) => (await ask('GET', `${BASE}/${name}`)).body.status;

  it('show at once, whatever status was sent, and belong to nobody', async () => {
    const made = await ask('POST', BASE, widget('a', {}, { status: { replicas: 5 } }));
    expect([made.status, made.body.status, await statusAt('a')]).toEqual([201, NEW, NEW]);
    expect(JSON.stringify(made.body.metadata.managedFields)).not.toContain('f:status');
    const { body } = await ask('PUT', `${BASE}/a`, { ...made.body, spec: { size: 9 }, status: { replicas: 7 } });
    expect([body.status, body.metadata.generation]).toEqual([NEW, 2]);
    const observed = await ask('PUT', `${BASE}/a/status`, { ...body, status: { replicas: 7 } });
    expect(observed.body.status).toEqual({ replicas: 7, phase: 'New' });
    const { status: _gone, ...without } = observed.body;
    expect((await ask('PUT', `${BASE}/a/status`, without)).body.status).toEqual(NEW);
  });

  it('show of objects that were stored when there were none', async () => {
    serve(definitionOf([version('v1', SCHEMA, { subresources })]));
    const old = await ask('POST', BASE, widget('a'));
    expect(old.body.status).toBeUndefined();
    serve(definitionOf([version('v1', schema, { subresources })]));
    expect(await statusAt('a')).toEqual(NEW);
    expect((await ask('GET', BASE)).body.items).toMatchObject([{ status: NEW }]);
  });
});

describe('objects of a custom kind', () => {
  beforeEach(() => serve(definitionOf([version('v1', SCHEMA, { subresources })])));

  it('are created with defaults, and without what nobody knows', async () => {
    const made = await ask(
      'POST',
      BASE,
      widget('a', { color: 'red', nope: 1, open: { any: 1 } }, { status: { phase: 'x' } }),
    );
    expect([made.status, made.warnings]).toEqual([201, '299 - "unknown field \\"spec.nope\\""']);
    expect(made.body).toMatchObject({ kind: 'Widget', apiVersion: 'example.test/v1', metadata: { generation: 1 } });
    expect(made.body.spec).toEqual({ color: 'red', open: { any: 1 }, size: 3 });
    expect(made.body.status).toBeUndefined();
    const { body: again } = await ask('GET', `${BASE}/a`);
    expect(again).toEqual(made.body);
  });

  it('say in each item of a list what they are, in every form that a list has', async () => {
    await ask('POST', BASE, widget('a', { color: 'red' }));
    const type = { kind: 'Widget', apiVersion: 'example.test/v1' };
    for (const path of [BASE, `${BASE}?pretty=true`]) {
      expect((await ask('GET', path)).body.items).toMatchObject([{ ...type, metadata: { name: 'a' } }]);
    }
    const yaml = (await ask('GET', BASE, undefined, '', 'application/yaml')).body;
    expect(yaml).toMatch(/\bkind: Widget$/m);
    expect((await ask('DELETE', BASE)).body.items).toMatchObject([type]);
    await ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    const declared = await ask('GET', '/api/v1/namespaces/default/configmaps');
    expect(declared.body.items[0]).not.toHaveProperty('kind');
  });

  it('keep one of owners that are named twice, whichever way they are written', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    const [other, managing] = [
      { ...owner, name: 'p' },
      { ...owner, controller: false },
    ];
    const metadata = { name: 'a', ownerReferences: [owner, other, owner, managing] };
    const warned = expect.stringContaining('ownerReferences contains duplicate entries; ');
    const made = await ask('POST', BASE, { ...widget('a'), metadata });
    expect([made.body.metadata.ownerReferences, made.warnings]).toEqual([[owner, other, managing], warned]);
    const patch = [{ op: 'add', path: '/metadata/ownerReferences/-', value: other }];
    const patched = await ask('PATCH', `${BASE}/a`, patch, 'application/json-patch+json');
    expect([patched.body.metadata, patched.warnings]).toEqual([made.body.metadata, warned]);
  });

  it('are read at each level of field validation as declared ones are', async () => {
    const text =
      '{"kind":"Widget","apiVersion":"example.test/v1","metadata":{"name":"a","x":1},"spec":{"color":"a","color":"b","nope":1}}';
    const strict = await ask('POST', `${BASE}?fieldValidation=Strict`, text);
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.color", unknown field "metadata.x", unknown field "spec.nope"',
    ]);
    expect((await ask('POST', `${BASE}?fieldValidation=Warn`, text)).warnings).toContain('duplicate field');
    await ask('DELETE', `${BASE}/a`);
    const ignored = await ask('POST', `${BASE}?fieldValidation=Ignore`, text);
    expect([ignored.status, ignored.warnings, ignored.body.spec]).toEqual([201, undefined, { color: 'b', size: 3 }]);
  });

  it('are refused for malformed metadata', async () => {
    const { status, body } = await ask('POST', BASE, { ...widget('a'), metadata: { name: 'a', labels: { a: 1 } } });
    expect([status, body.message]).toEqual([
      400,
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ]);
  });

  it('are judged by their schema', async () => {
    const { status, body } = await ask('POST', BASE, widget('a', { size: 0, ports: [{ name: 'x' }] }));
    expect(status).toBe(422);
    expect(body.details.causes.map(({ field }: { field: string }) => field).sort()).toEqual([
      'spec.ports[0].port',
      'spec.size',
    ]);
  });

  it('are asked rules of only where nothing else is wrong that matters, be it with their metadata', async () => {
    const rules = [{ rule: 'self.size > 5', message: 'too small' }];
    const spec = { ...SPEC, 'x-kubernetes-validations': rules };
    await serve(definitionOf([version('v1', { type: 'object', properties: { spec } })]));
    const causes = async (object: object): Promise<string[]> =>
      (await ask('POST', BASE, object)).body.details.causes.map(({ message }: { message: string }) => message);
    expect(await causes(widget('a'))).toEqual(['Invalid value: "object": too small']);
    const long = { ...widget('a'), metadata: { name: 'a', annotations: { a: 'x'.repeat(300_000) } } };
    expect(await causes(long)).toEqual([
      'Too long: must have at most 262144 bytes',
      expect.stringContaining('some validation rules were not checked because the object was invalid'),
    ]);
  });

  it('may be sent as YAML, and read as it', async () => {
    const yaml = 'apiVersion: example.test/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  color: red\n  color: blue\n';
    const made = await ask('POST', BASE, yaml, 'application/yaml');
    expect([made.status, made.body.spec.color, made.warnings]).toEqual([201, 'blue', expect.stringContaining('color')]);
  });

  it('have neither a binary form nor strategic patches', async () => {
    await ask('POST', BASE, widget('a'));
    const binary = 'application/vnd.kubernetes.protobuf';
    expect((await ask('POST', BASE, 'k8s', binary)).body).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    });
    const strategic = await ask('PATCH', `${BASE}/a`, {}, 'application/strategic-merge-patch+json');
    expect(strategic.body).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
    expect((await raw(`${BASE}/a`, { headers: { accept: binary } })).status).toBe(406);
    const either = await raw(`${BASE}/a`, { headers: { accept: `${binary}, application/json` } });
    expect([either.status, either.headers['content-type']]).toEqual([200, 'application/json']);
    const partial = `${binary};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    const shown = await raw(`${BASE}/a`, { headers: { accept: partial } });
    expect([shown.status, shown.headers['content-type']]).toEqual([200, binary]);
  });

  it('are never made by a PUT, which has to name a version', async () => {
    expect((await ask('PUT', `${BASE}/a`, widget('a'))).status).toBe(404);
    const { body: made } = await ask('POST', BASE, widget('a'));
    const { status, body } = await ask('PUT', `${BASE}/a`, widget('a', { size: 4 }));
    expect([status, body.message]).toEqual([
      422,
      'widgets.example.test "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ]);
    const put = await ask('PUT', `${BASE}/a`, { ...made, spec: { ...made.spec, color: 'blue' } });
    expect([put.status, put.body.metadata.generation, put.body.spec.color]).toEqual([200, 2, 'blue']);
    expect((await ask('PUT', `${BASE}/a`, { ...made, spec: { size: 9 } })).status).toBe(409);
  });

  it('are patched, and what a patch adds is pruned and filled in', async () => {
    await ask('POST', BASE, widget('a', { color: 'red' }));
    const merged = await ask('PATCH', `${BASE}/a`, { spec: { size: null, nope: 1 } }, 'application/merge-patch+json');
    expect([merged.status, merged.body.spec]).toEqual([200, { color: 'red', size: 3 }]);
    const steps = [{ op: 'replace', path: '/spec/color', value: 'green' }];
    const patched = await ask('PATCH', `${BASE}/a`, steps, 'application/json-patch+json');
    expect([patched.status, patched.body.spec.color, patched.body.metadata.generation]).toEqual([200, 'green', 2]);
    const wrong = await ask('PATCH', `${BASE}/a`, { metadata: { labels: { a: 1 } } }, 'application/merge-patch+json');
    expect(wrong.status).toBe(422);
  });

  it('take updates of many at once that name no version', async () => {
    const [endpoint] = await serve(definitionOf([version('v1', SCHEMA)]));
    await ask('POST', BASE, widget('a'));
    const [key, caller, options] = [{ namespace: 'default', name: 'a' }, serverItself(), { dryRun: false }];
    const request = {
      operation: 'UPDATE',
      endpoint: endpoint as Endpoint,
      key,
      subresource: '',
      caller,
      options,
    } as const;
    const labels = ['a', 'b', 'c', 'd', 'e'];
    const change = (label: string) => (object: ApiObject) => {
      object.metadata = { ...object.metadata, labels: { ...object.metadata?.labels, [label]: 'x' } };
      return object;
    };
    await Promise.all(labels.map((label) => server.api.deps.pipeline.write(request, { change: change(label) })));
    const { body } = await ask('GET', `${BASE}/a`);
    expect([Object.keys(body.metadata.labels), body.metadata.generation]).toEqual([labels, 1]);
  });

  it('keep their status apart', async () => {
    const { body: made } = await ask('POST', BASE, widget('a'));
    const status = {
      ...made,
      metadata: { ...made.metadata, labels: { a: 'b' } },
      spec: { size: 9 },
      status: { phase: 'up' },
    };
    const put = await ask('PUT', `${BASE}/a/status`, status);
    expect([put.status, put.body.spec, put.body.status]).toEqual([200, { size: 3 }, { phase: 'up' }]);
    expect([put.body.metadata.generation, put.body.metadata.labels]).toEqual([1, undefined]);
    const main = await ask('PUT', `${BASE}/a`, { ...put.body, status: { phase: 'down' }, spec: { size: 5 } });
    expect([main.body.status, main.body.spec, main.body.metadata.generation]).toEqual([
      { phase: 'up' },
      { size: 5 },
      2,
    ]);
    const managers = main.body.metadata.managedFields.map(({ subresource }: { subresource?: string }) => subresource);
    expect(managers).toContain('status');
  });

  it('are applied, by the keys of their lists', async () => {
    const apply = (manager: string, spec: object, force = false) =>
      ask(
        'PATCH',
        `${BASE}/a?fieldManager=${manager}&force=${force}`,
        widget('a', spec),
        'application/apply-patch+yaml',
      );
    const made = await apply('one', { ports: [{ port: 1, name: 'a' }] });
    expect([made.status, made.body.spec]).toEqual([201, { ports: [{ port: 1, name: 'a' }], size: 3 }]);
    const more = await apply('two', { ports: [{ port: 2 }] });
    expect([more.status, more.body.spec.ports]).toEqual([200, [{ port: 1, name: 'a' }, { port: 2 }]]);
    const refused = await apply('two', { ports: [{ port: 1, name: 'b' }] });
    expect([refused.status, refused.body.details.causes[0].field]).toEqual([409, '.spec.ports[port=1].name']);
    const owned = made.body.metadata.managedFields[0];
    expect([owned.manager, owned.operation, owned.fieldsV1]).toEqual([
      'one',
      'Apply',
      { 'f:spec': { 'f:ports': { 'k:{"port":1}': { '.': {}, 'f:name': {}, 'f:port': {} } } } },
    ]);
    const unknown = await apply('one', { nope: 1 });
    expect([unknown.status, unknown.body.message]).toEqual([
      400,
      expect.stringContaining('.spec.nope: field not declared in schema'),
    ]);
  });

  it('are refused for another kind as for anything else that is wrong with them', async () => {
    const other = { ...widget('a'), kind: 'Other' };
    const expected = {
      code: 422,
      reason: 'Invalid',
      message: 'Other.example.test "a" is invalid: kind: Invalid value: "Other": must be Widget',
    };
    expect((await ask('POST', BASE, other)).body).toMatchObject(expected);
    expect((await ask('POST', BASE, widget('a'))).status).toBe(201);
    expect((await ask('PUT', `${BASE}/a`, other)).body).toMatchObject(expected);
    expect((await ask('POST', BASE, { ...other, apiVersion: 'example.test/v7' })).status).toBe(400);
  });

  it('have a scale where they name replicas', async () => {
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const counted = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } },
    };
    await serve(definitionOf([version('v1', counted, { subresources: { scale } })]));
    await ask('POST', BASE, widget('a', {}));
    expect((await ask('GET', `${BASE}/a/scale`)).body).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    const patched = await ask('PATCH', `${BASE}/a/scale`, { spec: { replicas: 2 } }, 'application/merge-patch+json');
    expect([patched.status, patched.body.spec]).toEqual([200, { replicas: 2 }]);
    expect((await ask('GET', `${BASE}/a/scale`)).body.spec).toEqual({ replicas: 2 });
  });

  it('are listed in pages, selected, and deleted together', async () => {
    for (const name of ['a', 'b', 'c']) {
      const labels = { even: String(name === 'b') };
      await ask('POST', BASE, { ...widget(name), metadata: { name, labels } });
    }
    const first = await ask('GET', `${BASE}?limit=2`);
    expect(first.body).toMatchObject({ kind: 'WidgetList', apiVersion: 'example.test/v1' });
    expect(first.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['a', 'b']);
    const rest = await ask('GET', `${BASE}?limit=2&continue=${first.body.metadata.continue}`);
    expect(rest.body.items).toHaveLength(1);
    expect((await ask('GET', `${BASE}?labelSelector=even=true`)).body.items).toHaveLength(1);
    expect((await ask('GET', `${BASE}?fieldSelector=metadata.name=c`)).body.items).toHaveLength(1);
    expect((await ask('GET', `${BASE}?fieldSelector=spec.size=3`)).status).toBe(400);
    expect((await ask('DELETE', `${BASE}?labelSelector=even=false`)).status).toBe(200);
    expect((await ask('GET', '/apis/example.test/v1/widgets')).body.items).toHaveLength(1);
  });

  it('are selected by the fields that the definition names, of each version by its own', async () => {
    const fields = (...paths: string[]) => ({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
    await serve(
      definitionOf([
        version('v1', SCHEMA, fields('.spec.color', '.spec.size')),
        version('v2', SCHEMA, { storage: false, ...fields('.spec.size') }),
      ]),
    );
    for (const [name, color] of [
      ['a', 'red'],
      ['b', 'blue'],
      ['c', 'red'],
    ] as const)
      await ask('POST', BASE, widget(name, { color }));
    const found = async (query: string, base = BASE) => {
      const { status, body } = await ask('GET', `${base}?fieldSelector=${query}`);
      return status === 200
        ? body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
        : body.message;
    };
    expect(await found('spec.color=red')).toEqual(['a', 'c']);
    expect(await found('spec.color!=red,spec.size=3')).toEqual(['b']);
    expect(await found('spec.color=red,metadata.name=c')).toEqual(['c']);
    expect(await found('spec.nope=1')).toBe('field label not supported: spec.nope');
    const other = BASE.replace('/v1/', '/v2/');
    expect(await found('spec.size=3', other)).toEqual(['a', 'b', 'c']);
    expect(await found('spec.color=red', other)).toBe('field label not supported: spec.color');
    expect((await ask('DELETE', `${BASE}?fieldSelector=spec.color=red`)).status).toBe(200);
    expect(await found('spec.size=3')).toEqual(['b']);
  });

  it('are shown as tables by the columns of their definition', async () => {
    const column = { name: 'Size', type: 'integer', jsonPath: '.spec.size' };
    await serve(definitionOf([version('v1', SCHEMA, { additionalPrinterColumns: [column] })]));
    await ask('POST', BASE, widget('a'));
    const { body } = await ask('GET', BASE, undefined, '', 'application/json;as=Table;v=v1;g=meta.k8s.io');
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Size']);
    expect(body.rows[0].cells).toEqual(['a', 3]);
  });

  it('have no parts but those of their definition', async () => {
    await serve(definitionOf([version('v1', SCHEMA)]));
    await ask('POST', BASE, widget('a', {}, { status: { phase: 'up' } }));
    for (const part of ['status', 'scale', 'log', 'exec', 'nope'])
      expect((await ask('GET', `${BASE}/a/${part}`)).status).toBe(404);
    const { body } = await ask('PATCH', `${BASE}/a`, { status: { phase: 'down' } }, 'application/merge-patch+json');
    expect([body.status, body.metadata.generation]).toEqual([{ phase: 'down' }, 2]);
  });

  it('go when they are deleted, once nothing holds them', async () => {
    await ask('POST', BASE, { ...widget('a'), metadata: { name: 'a', finalizers: ['example.test/hold'] } });
    const marked = await ask('DELETE', `${BASE}/a`);
    expect(marked.body).toMatchObject({ kind: 'Widget', metadata: { deletionTimestamp: expect.any(String) } });
    const freed = await ask('PATCH', `${BASE}/a`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
    expect([freed.status, (await ask('GET', `${BASE}/a`)).status]).toEqual([200, 404]);
  });

  it('go with their namespace', async () => {
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } });
    const there = BASE.replace('default', 'gone');
    await ask('POST', there, widget('a'));
    await ask('DELETE', '/api/v1/namespaces/gone');
    const controllers = await runNamespaceController(server.api);
    await expect.poll(async () => (await ask('GET', '/api/v1/namespaces/gone')).status).toBe(404);
    await controllers.stop();
    expect((await ask('GET', '/apis/example.test/v1/widgets')).body.items).toEqual([]);
  });
});
