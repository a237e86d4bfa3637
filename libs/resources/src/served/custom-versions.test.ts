import { customServer, definitionOf, version } from '@orch/testing';
import { describe, expect, it } from 'vitest';

const schemaOf = (spec: object, status: object = {}): object => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: spec },
    status: { type: 'object', properties: status },
  },
});
const TEXT = { type: 'string' };
const COUNT = { type: 'integer' };
const at = (versionName: string, name = '') =>
  `/apis/example.test/${versionName}/namespaces/default/widgets${name && `/${name}`}`;
const widget = (name: string, spec: object, apiVersion = 'example.test/v1') => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name },
  spec,
});
const MERGE = 'application/merge-patch+json';

const server = customServer();
const { ask, serve } = server;
const serveOne = (...versions: readonly object[]) => serve(definitionOf(versions));
const rowOf = async (name: string) => {
  const [endpoint] = server.api.served.current.endpoints.filter(({ definition }) => definition.resource === 'widgets');
  const row = server.api.store.rows(endpoint?.type ?? 0).find((each) => each.name === name);
  return row ?? expect.unreachable();
};

describe('objects that lie in the store', () => {
  it('are served as they lie as long as their schema is the same', async () => {
    await serveOne(version('v1', schemaOf({ a: { ...TEXT, default: 'x' } })));
    await ask('POST', at('v1'), widget('w', {}));
    const { defaults, storedVersion } = await rowOf('w');
    expect([defaults === 0, storedVersion]).toEqual([false, 'v1']);
    const described = { ...schemaOf({ a: { ...TEXT, default: 'x', description: 'said' } }) };
    const [endpoint] = await serveOne(version('v1', described));
    expect(endpoint?.form.isFilled(await rowOf('w'))).toBe(true);
  });

  it('are made to fit a schema that is younger, wherever they are shown, and stay as they are', async () => {
    await serveOne(version('v1', schemaOf({ a: TEXT, b: TEXT })));
    await ask('POST', at('v1'), widget('w', { a: 'a', b: 'b' }));
    const before = (await rowOf('w')).body.toString();
    await serveOne(version('v1', schemaOf({ a: TEXT, c: { ...TEXT, default: 'c' } })));
    const wanted = { a: 'a', c: 'c' };
    expect((await ask('GET', at('v1', 'w'))).body.spec).toEqual(wanted);
    expect((await ask('GET', at('v1'))).body.items[0].spec).toEqual(wanted);
    expect((await ask('GET', `${at('v1')}?resourceVersion=0`)).body.items[0].spec).toEqual(wanted);
    const yaml = await ask('GET', at('v1', 'w'), undefined, '', 'application/yaml');
    expect(yaml.body).toContain('c: c');
    const events = await ask('GET', `${at('v1')}?watch=true&timeoutSeconds=1`);
    expect(events.body.object.spec).toEqual(wanted);
    expect((await rowOf('w')).body.toString()).toBe(before);
    const patched = await ask('PATCH', at('v1', 'w'), { spec: { a: 'z' } }, MERGE);
    expect(patched.body.spec).toEqual({ a: 'z', c: 'c' });
    expect(JSON.parse((await rowOf('w')).body.toString()).spec).toEqual({ a: 'z', c: 'c' });
  });
});

describe('bytes that are kept of objects', () => {
  it('are not those of another schema', async () => {
    const text = { text: { ...TEXT } };
    await serveOne(version('v1', schemaOf(text)));
    const names = Array.from({ length: 40 }, (_, at) => `w-${at}`);
    for (const name of names) await ask('POST', at('v1'), widget(name, { text: 'x'.repeat(1_000) }));
    const specs = async (): Promise<string[]> => {
      const { body } = await ask('GET', `${at('v1')}?resourceVersion=0`);
      return body.items.map(({ spec }: { spec: object }) => Object.keys(spec).join());
    };
    for (let times = 0; times < 3; times++) expect(new Set(await specs())).toEqual(new Set(['text']));
    await serveOne(version('v1', schemaOf({ ...text, more: { ...TEXT, default: 'm' } })));
    expect(new Set(await specs())).toEqual(new Set(['text,more']));
  });
});

describe('versions of a custom kind', () => {
  const V1 = version('v1', schemaOf({ a: TEXT, one: { ...TEXT, default: 'd1' } }), { storage: false });
  const V2 = version('v2', schemaOf({ a: TEXT, two: { ...TEXT, default: 'd2' } }));

  it('have the same objects, less what the other does not know', async () => {
    await serveOne(V1, V2);
    const made = await ask('POST', at('v1'), widget('w', { a: 'x' }));
    expect(made.body).toMatchObject({ apiVersion: 'example.test/v1', spec: { a: 'x' } });
    expect(await rowOf('w')).toMatchObject({ storedVersion: 'v2', defaults: 0 });
    expect((await ask('GET', at('v2', 'w'))).body).toMatchObject({
      apiVersion: 'example.test/v2',
      spec: { a: 'x', two: 'd2' },
    });
    expect((await ask('GET', at('v1', 'w'))).body.spec).toEqual({ a: 'x' });
    const put = await ask('PATCH', at('v2', 'w'), { spec: { two: 'y' } }, MERGE);
    expect(put.body.spec).toEqual({ a: 'x', two: 'y' });
    expect((await rowOf('w')).defaults).not.toBe(0);
    const list = await ask('GET', at('v1'));
    expect([list.body.apiVersion, list.body.items[0].spec]).toEqual(['example.test/v1', { a: 'x' }]);
  });

  it('have owners of fields that speak of any of them', async () => {
    await serveOne(V1, V2);
    const apply = (apiVersion: string, spec: object) =>
      ask(
        'PATCH',
        `${at(apiVersion, 'w')}?fieldManager=me`,
        widget('w', spec, `example.test/${apiVersion}`),
        'application/apply-patch+yaml',
      );
    expect((await apply('v1', { a: 'x' })).status).toBe(201);
    const again = await apply('v2', { two: 'y' });
    expect([again.status, again.body.spec]).toEqual([200, { two: 'y' }]);
    expect(again.body.metadata.managedFields).toHaveLength(1);
    await ask('PATCH', `${at('v1', 'w')}?fieldManager=other`, { spec: { a: 'z' } }, MERGE);
    await serveOne(version('v2', schemaOf({ a: TEXT, two: TEXT })));
    expect((await apply('v2', { two: 'w' })).status).toBe(200);
  });

  it('are served only where they are', async () => {
    await serveOne({ ...V1, served: false }, V2);
    expect((await ask('GET', at('v1'))).status).toBe(404);
    expect((await ask('GET', at('v2'))).status).toBe(200);
  });

  it('are warned of where they are deprecated', async () => {
    await serveOne({ ...V1, deprecated: true }, V2);
    expect((await ask('GET', at('v1'))).warnings).toBe(
      '299 - "example.test/v1 Widget is deprecated; use example.test/v2 Widget"',
    );
    expect((await ask('GET', at('v2'))).warnings).toBeUndefined();
  });

  it('that a webhook converts are served where nothing is to be converted', async () => {
    const webhook = { clientConfig: { url: 'https://127.0.0.1:1/' }, conversionReviewVersions: ['v1'] };
    const conversion = { strategy: 'Webhook', webhook };
    await serve(definitionOf([V1, V2], { conversion }));
    expect((await ask('POST', at('v2'), widget('w', { a: 'x' }, 'example.test/v2'))).status).toBe(201);
    expect((await ask('GET', at('v2', 'w'))).status).toBe(200);
    const failure = {
      code: 500,
      message: expect.stringMatching(/^conversion webhook for example\.test\/v[12], Kind=Widget failed: /),
    };
    expect((await ask('GET', at('v1', 'w'))).body).toMatchObject(failure);
    expect((await ask('GET', at('v1'))).body).toMatchObject(failure);
    expect((await ask('POST', at('v1'), widget('u', {}))).body).toMatchObject(failure);
    expect((await ask('PATCH', at('v1', 'w'), { spec: { a: 'y' } }, MERGE)).body).toMatchObject(failure);
    const before = (await ask('GET', at('v2', 'w'))).body;
    expect(before.metadata.managedFields).toHaveLength(1);
    const other = ask(
      'GET',
      `${at('v2')}?watch=true&timeoutSeconds=3&resourceVersion=${before.metadata.resourceVersion}`,
    );
    await expect.poll(() => server.api.deps.cache.watchers).toBe(1);
    expect((await ask('POST', at('v2'), widget('x', {}, 'example.test/v2'))).status).toBe(201);
    expect((await other).body.object.metadata.name).toBe('x');
    expect((await ask('GET', at('v2', 'w'))).body).toEqual(before);
    expect((await ask('DELETE', at('v2', 'w'))).status).toBe(200);
  });
});

describe('the scale of objects of a custom kind', () => {
  const scale = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  const scaled = (more: object = {}) =>
    version('v1', schemaOf({ replicas: { ...COUNT, ...more } }, { replicas: COUNT, selector: TEXT }), {
      subresources: { status: {}, scale },
    });
  const path = `${at('v1', 'w')}/scale`;

  it('is what stands at the paths of their definition', async () => {
    await serveOne(scaled());
    await ask('POST', at('v1'), widget('w', { replicas: 2 }));
    await ask('PATCH', `${at('v1', 'w')}/status`, { status: { replicas: 1, selector: 'a=b' } }, MERGE);
    const { body } = await ask('GET', path);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'w', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    const put = await ask('PUT', path, { ...body, spec: { replicas: 5 } });
    expect([put.status, put.body.spec]).toEqual([200, { replicas: 5 }]);
    const { body: object } = await ask('GET', at('v1', 'w'));
    expect([object.spec.replicas, object.metadata.generation]).toEqual([5, 2]);
    expect((await ask('PUT', path, { ...body, spec: { replicas: 6 } })).status).toBe(409);
    const applied = await ask(
      'PATCH',
      `${path}?fieldManager=me&force=true`,
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'w' }, spec: { replicas: 7 } },
      'application/apply-patch+yaml',
    );
    expect([applied.status, applied.body.spec]).toEqual([200, { replicas: 7 }]);
  });

  it('is none where they name none, and may not be left so by a patch', async () => {
    await serveOne(scaled());
    await ask('POST', at('v1'), widget('w', {}));
    expect((await ask('GET', path)).body).toMatchObject({ code: 500, reason: 'InternalError' });
    const { body } = await ask('PATCH', path, { metadata: { labels: {} } }, MERGE);
    expect([body.code, body.message]).toEqual([400, 'the spec replicas field ".spec.replicas" cannot be empty']);
    const sent = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'w', namespace: 'default' } };
    expect((await ask('PUT', path, sent)).status).toBe(200);
    expect((await ask('GET', at('v1', 'w'))).body.spec).toEqual({ replicas: 0 });
    const patched = await ask('PATCH', path, { spec: { replicas: 3 } }, MERGE);
    expect([patched.status, patched.body.spec]).toEqual([200, { replicas: 3 }]);
    expect((await ask('PATCH', path, {}, 'application/strategic-merge-patch+json')).status).toBe(415);
  });

  it('is a 500 that says why where something else stands there', async () => {
    await serveOne(version('v1', schemaOf({ replicas: TEXT }), { subresources: { scale } }));
    const made = await ask('POST', at('v1'), widget('w', {}));
    expect(made.status).toBe(201);
    await serveOne(version('v1', schemaOf({ replicas: TEXT })));
    await ask('PATCH', at('v1', 'w'), { spec: { replicas: 'many' } }, MERGE);
    await serveOne(version('v1', schemaOf({ replicas: TEXT }), { subresources: { scale } }));
    expect((await ask('GET', path)).body).toMatchObject({
      code: 500,
      message: '.spec.replicas accessor error: many is of the type string, expected int64',
    });
  });
});

describe('a definition of thousands of versions', () => {
  it('costs what they are, not what they are times each other', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) =>
      version(`v${at + 1}`, { type: 'object' }, { storage: at === 0, deprecated: at > 0 }),
    );
    const before = process.cpuUsage();
    await serveOne(...many);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(2_000);
    expect((await ask('POST', at('v2999'), widget('w', {}, 'example.test/v2999'))).status).toBe(201);
    expect((await ask('GET', at('v1', 'w'))).status).toBe(200);
  });
});
