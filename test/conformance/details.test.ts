import { expect, test } from 'vitest';
import type { StatusObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformance,
  conformanceWithoutNames,
  createAll,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
} from './conformance.js';

const NOT_FOUND = 'the server could not find the requested resource';
const WRONG_METHOD = 'the server does not allow this method on the requested resource';

conformanceWithoutNames('What a path refuses, as clients read it [Path shapes, Errors]', ({ api, namespace }) => {
  test.each(['/api/v1/nosuch', '/api/v1/namespaces/a/configmaps/b/nosuch', '/apis/apps/v9/deployments'])(
    '%s is not found with empty details, whatever the method',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const status = expectRefusal(await api.request(method, path, { body: {} }), 404, 'NotFound');
        expect(status).toMatchObject({ message: NOT_FOUND, details: {} });
      }
    },
  );

  test('a method that a path does not have', async () => {
    const ns = await namespace();
    for (const [method, path] of [
      ['PUT', configMaps(ns)],
      ['POST', `${configMaps(ns)}/a`],
      ['POST', '/api/v1/configmaps'],
      ['DELETE', '/api/v1/configmaps'],
      ['DELETE', `${deployments(ns)}/a/scale`],
      ['POST', '/version'],
      ['POST', '/api/v1'],
    ] as const) {
      const status = expectRefusal(await api.request(method, path, { body: {} }), 405, 'MethodNotAllowed');
      expect(status, `${method} ${path}`).toMatchObject({ message: WRONG_METHOD, details: {} });
    }
    expectStatus(await api.post('/nowhere', {}), 404);
    expectStatus(await api.post('/apis/nowhere.example/v1', {}), 404);
  });

  test('the root lists what there is', async () => {
    const { paths } = expectStatus(await api.get('/'), 200).json();
    expect(paths).toEqual(
      expect.arrayContaining(['/api', '/api/v1', '/apis', '/apis/apps/v1', '/livez', '/openapi/v2']),
    );
    expect(paths).toEqual([...paths].sort());
  });
});

conformance('Where an object says it belongs [Path shapes]', ({ api, names, namespace }) => {
  test('a namespace on an object of the cluster is passed over', async () => {
    const ns = await namespace();
    const group = names.group('rbac.authorization.orch.io');
    const roles = `/apis/${group}/v1/clusterroles`;
    const role = { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name: ns, namespace: 'elsewhere' } };
    const created = expectStatus(await api.post(roles, role), 201).json();
    expect(created.metadata).not.toHaveProperty('namespace');
    expectStatus(await api.put(`${roles}/${ns}`, role), 200);
    const patch = { metadata: { namespace: 'elsewhere', labels: { a: 'b' } } };
    const patched = expectStatus(await api.patch(`${roles}/${ns}`, 'merge', patch), 200).json();
    expect(patched.metadata).not.toHaveProperty('namespace');
    expectStatus(await api.delete(`${roles}/${ns}`), 200);
  });

  test('an update or a patch must keep the name', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const unnamed = 'the name of the object (a based on URL) was undeterminable: name must be provided';
    for (const answer of [
      await api.put(path, { data: {} }),
      await api.put(path, { metadata: { name: '' } }),
      await api.patch(path, 'merge', { metadata: null }),
      await api.patch(path, 'merge', { metadata: { name: null } }),
      await api.patch(path, 'json', [{ op: 'remove', path: '/metadata/name' }]),
    ]) {
      expect(expectRefusal(answer, 400, 'BadRequest').message).toBe(unnamed);
    }
    expectRefusal(await api.patch(path, 'merge', { metadata: { name: 'b' } }), 400, 'BadRequest');
    expect(expectStatus(await api.get(path), 200).json().data).toEqual({ a: '1' });
    expectStatus(await api.post(deployments(ns), deployment('a', 2)), 201);
    expectRefusal(await api.put(`${deployments(ns)}/a/scale`, { spec: { replicas: 1 } }), 400, 'BadRequest');
    expectRefusal(await api.put(`${deployments(ns)}/a/status`, { status: {} }), 400, 'BadRequest');
  });

  test('a patch that names another uid is invalid, an update a conflict', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const status = expectRefusal(await api.patch(path, 'merge', { metadata: { uid: 'other' } }), 422, 'Invalid');
    expect(status.details?.causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'Invalid value: "other": field is immutable', field: 'metadata.uid' },
    ]);
    const other = { ...created, metadata: { ...created?.metadata, uid: 'other' } };
    expectRefusal(await api.put(path, other), 409, 'Conflict');
  });
});

conformanceWithoutNames('What the server keeps of an update [Deletion of an object]', ({ api, namespace }) => {
  test('the time of creation stays, whatever the client sends', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const creationTimestamp = '2020-01-01T00:00:00Z';
    const changed = { ...created, metadata: { ...created?.metadata, creationTimestamp } };
    for (const answer of [
      await api.put(path, changed),
      await api.patch(path, 'merge', { metadata: { creationTimestamp } }),
    ]) {
      expect(expectStatus(answer, 200).json().metadata.creationTimestamp).toBe(created?.metadata.creationTimestamp);
    }
  });

  test('the time of deletion stays once there is one, and cannot be set before', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a', { finalizers: ['example.com/hold'] })), 201);
    const path = `${configMaps(ns)}/a`;
    const patch = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } };
    expectRefusal(await api.patch(path, 'merge', patch), 422, 'Invalid');
    const deleted = expectStatus(await api.delete(path), 200).json();
    const patched = expectStatus(await api.patch(path, 'merge', patch), 200).json();
    expect(patched.metadata.deletionTimestamp).toBe(deleted.metadata.deletionTimestamp);
    const period = { metadata: { deletionGracePeriodSeconds: 99 } };
    expectRefusal(await api.patch(path, 'merge', period), 422, 'Invalid');
    expectStatus(await api.patch(path, 'merge', { metadata: { finalizers: null } }), 200);
  });
});

conformance('Versions that mean none [Resource version semantics]', ({ api, names, namespace }) => {
  test('"0" is as if there was none', async () => {
    const ns = await namespace();
    const metadata = { name: 'a', resourceVersion: '0' };
    expectStatus(await api.post(configMaps(ns), { ...configMap('a'), metadata }), 201);
    const answer = await api.put(`${configMaps(ns)}/a`, { ...configMap('a', { data: { a: '2' } }), metadata });
    expect(expectStatus(answer, 200).json().data).toEqual({ a: '2' });
  });

  test('a kind that takes no update without a version says so', async () => {
    const ns = await namespace();
    const group = names.group('coordination.orch.io');
    const path = `/apis/${group}/v1/namespaces/${ns}/leases/l`;
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'me' } };
    expectStatus(await api.put(path, lease), 201);
    const status = expectRefusal(await api.put(path, lease), 422, 'Invalid');
    const why = 'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update';
    expect(status.message).toBe(`leases.${group} "l" is invalid: ${why}`);
    expect(status.details).toMatchObject({ name: 'l', group, kind: 'leases' });
  });
});

conformanceWithoutNames('Options of writes, as clients read their refusal [Query parameters]', ({ api, namespace }) => {
  test.each([
    ['dryRun=Some', 'dryRun: Unsupported value: []string{"Some"}: supported values: "All"'],
    ['dryRun=All&dryRun=x', 'dryRun: Unsupported value: []string{"All", "x"}: supported values: "All"'],
    [`fieldManager=${'x'.repeat(129)}`, 'fieldManager: Too long: must have at most 128 bytes'],
    ['force=true', 'force: Forbidden: may not be specified for non-apply patch'],
    ['force=false', 'force: Forbidden: may not be specified for non-apply patch'],
  ])('%.30s', async (query, why) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    for (const patch of ['merge', 'strategic-merge'] as const) {
      const answer = await api.patch(`${configMaps(ns)}/a?${query}`, patch, { data: { a: '2' } });
      expect(expectRefusal(answer, 422, 'Invalid').message).toMatch(/^PatchOptions\.meta\.\S+ "" is invalid: /);
      expect(answer.json<StatusObject>().message).toContain(why);
    }
    expect(expectStatus(await api.get(`${configMaps(ns)}/a`), 200).json().data).toEqual({ a: '1' });
  });

  const policies = 'supported values: "Foreground", "Background", "Orphan", "nil"';
  test.each([
    ['propagationPolicy=Foo', `propagationPolicy: Unsupported value: "Foo": ${policies}`],
    ['propagationPolicy=', `propagationPolicy: Unsupported value: "": ${policies}`],
    [
      'propagationPolicy=Orphan&orphanDependents=true',
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
  ])('a deletion with %s', async (query, why) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const status = expectRefusal(await api.delete(`${configMaps(ns)}/a?${query}`), 422, 'Invalid');
    expect(status.message).toContain(`is invalid: ${why}`);
  });

  test('a broken precondition of a deletion names both values', async () => {
    const ns = await namespace();
    const [a] = await createAll(api, ns, ['a']);
    const byUid = await api.delete(`${configMaps(ns)}/a`, { preconditions: { uid: 'x' } });
    expect(expectRefusal(byUid, 409, 'Conflict').message).toContain(
      `the UID in the precondition (x) does not match the UID in record (${a?.metadata.uid}). The object might have been deleted and then recreated`,
    );
    const byVersion = await api.delete(`${configMaps(ns)}/a`, { preconditions: { resourceVersion: '1' } });
    expect(expectRefusal(byVersion, 409, 'Conflict').message).toContain(
      `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${a?.metadata.resourceVersion}). The object might have been modified`,
    );
  });
});

conformance('Options of reads, as clients read their refusal [Query parameters]', ({ api, names, namespace }) => {
  test.each([
    ['sendInitialEvents=true', 422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    ['resourceVersionMatch=Foo&resourceVersion=5', 422, 'supported values: "Exact", "NotOlderThan", ""'],
    [
      'resourceVersionMatch=Foo&continue=x',
      422,
      'unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue',
    ],
    ['timeoutSeconds=soon', 400, 'strconv.ParseInt: parsing "soon": invalid syntax'],
    ['timeout=soon', 400, 'invalid timeout specified in the request URL - time: invalid duration "soon"'],
    ['timeout=5', 400, 'invalid timeout specified in the request URL - time: missing unit in duration "5"'],
    ['timeout=5y', 400, 'invalid timeout specified in the request URL - time: unknown unit "y" in duration "5y"'],
    ['labelSelector=a%20in%20b', 400, "unable to parse requirement: found 'b', expected: '('"],
    ['fieldSelector=a', 400, 'invalid selector: "a"; can\'t understand "a"'],
    [
      'fieldSelector=data.a%3D1',
      400,
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('a list with %s', async (query, code, why) => {
    const ns = await namespace();
    const { message = '' } = expectStatus(await api.get(`${configMaps(ns)}?${query}`), code).json<StatusObject>();
    expect(message).toContain(why);
    if (query.includes('Selector') || query.includes('timeout')) expect(message).toBe(why);
  });

  test('a timeout is looked at wherever it is sent but in watches, and ends what takes longer', async () => {
    const ns = await namespace();
    const path = `${configMaps(ns)}/a`;
    for (const answer of [
      await api.get('/api?timeout=soon'),
      await api.get('/version?timeout=soon'),
      await api.get(`${path}?timeout=soon`),
      await api.post(`${configMaps(ns)}?timeout=soon`, configMap('a')),
      await api.delete(`${path}?timeout=soon`),
    ])
      expectRefusal(answer, 400, 'BadRequest');
    expectStatus(await api.get(`${configMaps(ns)}?watch=1&timeout=soon&timeoutSeconds=1`), 200);
    for (const good of ['32s', '0', '0s', '-5s', '1h', '1.5m30s', ''])
      expectStatus(await api.post(`${configMaps(ns)}?dryRun=All&timeout=${good}`, configMap('a')), 201);
    // It would wait for 3 s.
    const slow = await api.get(`${configMaps(ns)}?resourceVersion=999999999999999&timeout=50ms`);
    expect(expectRefusal(slow, 504, 'Timeout').message).toBe('the request timed out');
  });

  test('a version that is not reached says Timeout first', async () => {
    const ns = await namespace();
    const status = expectRefusal(await api.get(`${configMaps(ns)}?resourceVersion=999999999999999`), 504, 'Timeout');
    expect(status.message).toMatch(/^Timeout: Too large resource version: 999999999999999, current: \d+$/);
  });

  test('a scale is shown as itself, not as what it cannot be shown as', async () => {
    const ns = await namespace();
    expectStatus(await api.post(deployments(ns), deployment('a')), 201);
    const scale = `${deployments(ns)}/a/scale`;
    const partial = `application/json;as=PartialObjectMetadata;v=v1;g=${names.metaGroup}`;
    expectRefusal(await api.get(scale, { accept: partial }), 406, 'NotAcceptable');
    const answer = expectStatus(await api.get(scale, { accept: `${partial},application/json` }), 200);
    expect(answer.json().kind).toBe('Scale');
  });

  test('a boolean is false only for 0 and false', async () => {
    const ns = await namespace();
    for (const text of ['0', 'false', 'FALSE', 'fAlSe']) {
      const answer = expectStatus(await api.get(`${configMaps(ns)}?watch=${text}`), 200);
      expect(answer.json().kind).toBe('ConfigMapList');
    }
    for (const text of ['', 'yes', 'f', 'T']) {
      expect(expectStatus(await api.get(`${configMaps(ns)}?watch=${text}&timeoutSeconds=1`), 200).text).toBe('');
    }
  });

  test('a watch that can only be YAML is told what streams there are', async () => {
    const ns = await namespace();
    const answer = await api.get(`${configMaps(ns)}?watch=1`, { accept: 'application/yaml' });
    expect(expectStatus(answer, 406).text).toMatch(/application\/json;stream=watch, \S+protobuf;stream=watch/);
  });
});

conformanceWithoutNames('Bodies that cannot be taken, as clients read it [Errors]', ({ api, namespace }) => {
  test('the version stands without its group', async () => {
    const ns = await namespace();
    const broken = { ...deployment('a'), spec: { replicas: 'many' } };
    const status = expectRefusal(await api.post(deployments(ns), broken), 400, 'BadRequest');
    expect(status.message).toMatch(/^Deployment in version "v1" cannot be handled as a Deployment: /);
  });

  test('a patch that does not fit has details, for clients that print nothing without', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const test = { op: 'test', path: '/data/a', value: 'x' };
    const status = expectRefusal(await api.patch(`${configMaps(ns)}/a`, 'json', [test]), 422, 'Invalid');
    expect(status.message).toMatch(/^the server rejected our request due to an error in our request/);
    expect(status.details).toEqual({});
    const many = await api.patch(`${configMaps(ns)}/a`, 'json', Array(10_001).fill(test));
    expect(expectRefusal(many, 413, 'RequestEntityTooLarge').message).toBe(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  test('a name that is taken, of an object that also asked for a generated one', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const answer = await api.post(configMaps(ns), { metadata: { name: 'a', generateName: 'b-' } });
    const status = expectRefusal(answer, 409, 'AlreadyExists');
    expect(status.message).toBe(
      'configmaps "a" already exists, the server was not able to generate a unique name for the object',
    );
    expect(status.details).toMatchObject({ name: 'a', kind: 'configmaps', retryAfterSeconds: 1 });
  });
});
