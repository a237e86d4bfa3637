import { randomBytes } from 'node:crypto';
import type { Names } from '@orch/machinery';
import { expect, test } from 'vitest';
import type { Api, ApiObject } from '../support/api.js';
import { conformance, expectRefusal, expectStatus, list } from './conformance.js';

const SCHEMA = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } },
};
const VERSION = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } };
const POLL = { timeout: 20_000, interval: 20 };

/** A kind of a group of its own. */
class Kind {
  readonly group = `g${randomBytes(5).toString('hex')}.example.com`;
  readonly definitions: string;
  readonly #names: Names;

  constructor(
    private readonly api: Api,
    names: Names,
  ) {
    this.#names = names;
    this.definitions = `/apis/${names.group('apiextensions.orch.io')}/v1/customresourcedefinitions`;
  }

  get path(): string {
    return `${this.definitions}/widgets.${this.group}`;
  }

  collection(namespace: string, version = 'v1'): string {
    return `/apis/${this.group}/${version}/namespaces/${namespace}/widgets`;
  }

  object(name: string, spec: object = {}, metadata: object = {}) {
    return { apiVersion: `${this.group}/v1`, kind: 'Widget', metadata: { name, ...metadata }, spec };
  }

  definition(spec: object = {}) {
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    return {
      apiVersion: `${this.#names.group('apiextensions.orch.io')}/v1`,
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${this.group}` },
      spec: { group: this.group, scope: 'Namespaced', names, versions: [VERSION], ...spec },
    };
  }

  async condition(type: string): Promise<string | undefined> {
    const answer = await this.api.get(this.path);
    const { status } = answer.json<ApiObject & { status?: { conditions?: { type: string; status: string }[] } }>();
    return status?.conditions?.find((each) => each.type === type)?.status;
  }

  /** Made and established. */
  async define(spec: object = {}): Promise<void> {
    expectStatus(await this.api.post(this.definitions, this.definition(spec)), 201);
    await expect.poll(() => this.condition('Established'), POLL).toBe('True');
  }

  /** Changed, and served as it is now: told by what defaults an object gets. */
  async change(versions: readonly object[]): Promise<void> {
    expectStatus(await this.api.patch(this.path, 'merge', { spec: { versions } }), 200);
  }
}

conformance('Custom resources', ({ api, names, namespace }) => {
  test('are served once their definition is established, and everybody is told of them', async () => {
    const kind = new Kind(api, names);
    expectRefusal(await api.get(`/apis/${kind.group}/v1`), 404, 'NotFound');
    await kind.define();
    const ns = await namespace();
    const made = expectStatus(await api.post(kind.collection(ns), kind.object('a')), 201).json<ApiObject>();
    expect(made).toMatchObject({ kind: 'Widget', spec: { size: 3 }, metadata: { generation: 1 } });
    const resources = expectStatus(await api.get(`/apis/${kind.group}/v1`), 200).json<{ resources: object[] }>();
    expect(resources.resources).toMatchObject([{ name: 'widgets', kind: 'Widget' }]);
    const group = names.group('apidiscovery.orch.io');
    const accept = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList`;
    expect((await api.get('/apis', { accept })).text).toContain(kind.group);
    expectStatus(await api.get(`/openapi/v3/apis/${kind.group}/v1`), 200);
    expect((await api.get('/openapi/v2')).text).toContain(kind.group.split('.').reverse().join('.'));
  });

  test('follow a change of their definition, which ends their watches and no others', async () => {
    const [kind, other] = [new Kind(api, names), new Kind(api, names)];
    await Promise.all([kind.define(), other.define()]);
    const ns = await namespace();
    expectStatus(await api.post(kind.collection(ns), kind.object('a')), 201);
    const watched = await api.watch(`${kind.collection(ns)}?watch=true`);
    const left = await api.watch(`${other.collection(ns)}?watch=true`);
    const size = { type: 'integer', default: 5 };
    const properties = { spec: { type: 'object', properties: { size, color: { type: 'string', default: 'red' } } } };
    await kind.change([{ ...VERSION, schema: { openAPIV3Schema: { type: 'object', properties } } }]);
    const spec = async () => (await api.get(`${kind.collection(ns)}/a`)).json<{ spec: object }>().spec;
    await expect.poll(spec, POLL).toEqual({ size: 3, color: 'red' });
    await watched.rest();
    expectStatus(await api.post(other.collection(ns), other.object('b')), 201);
    expect((await left.take(1))[0]?.object.metadata.name).toBe('b');
    left.close();
  });

  test('are selected by the fields that their definition names, and by others once it does', async () => {
    const kind = new Kind(api, names);
    const fields = (...paths: string[]) => ({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
    const properties = {
      spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } },
    };
    const version = { ...VERSION, schema: { openAPIV3Schema: { type: 'object', properties } } };
    await kind.define({ versions: [{ ...version, ...fields('.spec.color') }] });
    const ns = await namespace();
    const found = async (selector: string) => {
      const answer = await api.get(`${kind.collection(ns)}?fieldSelector=${selector}`);
      return answer.status === 200
        ? answer.json<{ items: ApiObject[] }>().items.map(({ metadata }) => metadata.name)
        : answer.status;
    };
    const watched = await api.watch(`${kind.collection(ns)}?watch=true&fieldSelector=spec.color=red`);
    for (const [name, color] of [
      ['a', 'blue'],
      ['b', 'red'],
    ] as const)
      expectStatus(await api.post(kind.collection(ns), kind.object(name, { color, size: 1 })), 201);
    const either = await api.watch(`${kind.collection(ns)}?watch=true&fieldSelector=spec.color%20in%20(red,blue)`);
    expect((await either.take(2)).map(({ object }) => object.metadata.name)).toEqual(['a', 'b']);
    either.close();
    expect((await watched.take(1))[0]?.object.metadata.name).toBe('b');
    expect(await found('spec.color=red')).toEqual(['b']);
    expect(await found('spec.size=1')).toBe(400);
    expect(await found('spec.color%20in%20(red,green)')).toEqual(['b']);
    expect(await found('spec.color%20in%20(red,blue),metadata.name!=a')).toEqual(['b']);
    expect(await found('spec.color%20notin%20(red,green)')).toEqual(['a']);
    expect(await found('spec.size%20in%20(1,2)')).toBe(400);
    expect(await found('metadata.name%20in%20(a,b)')).toBe(400);
    await kind.change([{ ...version, ...fields('.spec.color', '.spec.size') }]);
    await expect.poll(() => found('spec.size=1'), POLL).toEqual(['a', 'b']);
    await watched.rest();
  });

  test('are selected by the fields of the definition that there is, not by those of one of the same name before it', async () => {
    const kind = new Kind(api, names);
    const properties = {
      spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } },
    };
    const ns = await namespace();
    for (const path of ['color', 'size']) {
      const selectableFields = [{ jsonPath: `.spec.${path}` }];
      await kind.define({
        versions: [{ ...VERSION, schema: { openAPIV3Schema: { type: 'object', properties } }, selectableFields }],
      });
      expectStatus(await api.post(kind.collection(ns), kind.object('a', { color: '1', size: 1 })), 201);
      // Read from the watch cache, which the first watch fills.
      const watched = await api.watch(`${kind.collection(ns)}?watch=true&fieldSelector=spec.${path}=1`);
      expect((await watched.take(1))[0]?.object.metadata.name).toBe('a');
      watched.close();
      const listed = await api.get(`${kind.collection(ns)}?resourceVersion=0&fieldSelector=spec.${path}=1`);
      expect(listed.json<{ items: ApiObject[] }>().items).toHaveLength(1);
      expectStatus(await api.delete(kind.path), 200);
      await expect.poll(async () => (await api.get(kind.path)).status, POLL).toBe(404);
    }
  });

  test('go with their definition, whose name is free then', async () => {
    const kind = new Kind(api, names);
    await kind.define();
    const ns = await namespace();
    const held = kind.object('a', {}, { finalizers: ['example.com/hold'] });
    expectStatus(await api.post(kind.collection(ns), held), 201);
    expectStatus(await api.delete(kind.path), 200);
    await expect.poll(() => kind.condition('Terminating'), POLL).toBe('True');
    const refusal = expectRefusal(await api.post(kind.collection(ns), kind.object('b')), 405, 'MethodNotAllowed');
    expect(refusal.message).toBe('create not allowed while custom resource definition is terminating');
    const discovered = async () =>
      (await api.get(`/apis/${kind.group}/v1`)).json<{ resources?: { verbs: string[] }[] }>().resources?.[0]?.verbs;
    await expect.poll(discovered, POLL).not.toContain('create');
    expectStatus(await api.patch(`${kind.collection(ns)}/a`, 'merge', { metadata: { finalizers: null } }), 200);
    await expect.poll(async () => (await api.get(kind.path)).status, POLL).toBe(404);
    await expect.poll(async () => (await api.get(kind.collection(ns))).status, POLL).toBe(404);
    await kind.define();
    expect((await list(api, kind.collection(ns))).items).toEqual([]);
  });

  test('go with their namespace', async () => {
    const kind = new Kind(api, names);
    await kind.define();
    const ns = await namespace();
    expectStatus(await api.post(kind.collection(ns), kind.object('a')), 201);
    expectStatus(await api.delete(`/api/v1/namespaces/${ns}`), 200);
    await expect.poll(async () => (await api.get(`/api/v1/namespaces/${ns}`)).status, POLL).toBe(404);
    expect((await list(api, `/apis/${kind.group}/v1/widgets`)).items).toEqual([]);
  });

  test('of another group may have the same names, of the same group not', async () => {
    const kind = new Kind(api, names);
    await kind.define();
    const others = { plural: 'gadgets', singular: 'widget', kind: 'Gadget', listKind: 'GadgetList' };
    const definition = { ...kind.definition({ names: others }), metadata: { name: `gadgets.${kind.group}` } };
    expectStatus(await api.post(kind.definitions, definition), 201);
    const path = `${kind.definitions}/gadgets.${kind.group}`;
    const told = async () => {
      const { status } = (await api.get(path)).json<{ status?: { conditions?: { type: string; reason: string }[] } }>();
      return status?.conditions?.find(({ type }) => type === 'NamesAccepted')?.reason;
    };
    await expect.poll(told, POLL).toBe('SingularConflict');
    expectStatus(await api.delete(path), 200);
  });

  test('without namespaces stand beside them', async () => {
    const kind = new Kind(api, names);
    await kind.define({ scope: 'Cluster' });
    const collection = `/apis/${kind.group}/v1/widgets`;
    expectStatus(await api.post(collection, kind.object('a')), 201);
    expect((await list(api, collection)).items).toHaveLength(1);
    expectStatus(await api.delete(`${collection}/a`), 200);
  });
});
