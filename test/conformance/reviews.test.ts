import { expect, inject, test } from 'vitest';
import { conformance, expectRefusal, expectStatus } from './conformance.js';

conformance('Reviews [Authorization, Authentication]', ({ api, names, namespace }) => {
  const authorization = names.group('authorization.orch.io');
  const authentication = names.group('authentication.orch.io');
  const post = (plural: string, kind: string, spec: object, metadata?: object) =>
    api.post(`/apis/${authorization}/v1/${plural}`, {
      apiVersion: `${authorization}/v1`,
      kind,
      ...(metadata && { metadata }),
      spec,
    });
  const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'default' };

  test('the caller asks what it may do itself', async () => {
    const ask = (spec: object) => post('selfsubjectaccessreviews', 'SelfSubjectAccessReview', spec);
    expect(expectStatus(await ask({ resourceAttributes }), 201).json()).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      metadata: { creationTimestamp: null },
      spec: { resourceAttributes },
      status: { allowed: true },
    });
    const path = { nonResourceAttributes: { path: '/metrics', verb: 'get' } };
    expect(expectStatus(await ask(path), 201).json().status).toEqual({ allowed: true });
    const none = expectRefusal(await ask({}), 422, 'Invalid');
    expect(none.message).toContain('exactly one of nonResourceAttributes or resourceAttributes must be specified');
    expectRefusal(await ask({ resourceAttributes, ...path }), 422, 'Invalid');
  });

  test('and what others may', async () => {
    const ask = (spec: object, metadata?: object) =>
      post('subjectaccessreviews', 'SubjectAccessReview', spec, metadata);
    const known = expectStatus(await ask({ user: 'jane', groups: ['dev'], resourceAttributes }), 201).json();
    expect(known.status).toEqual({ allowed: false });
    const master = { user: 'root', groups: ['system:masters'], resourceAttributes };
    expect(expectStatus(await ask(master), 201).json().status).toEqual({ allowed: true });
    const anonymous = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
    expect(expectStatus(await ask({ ...anonymous, resourceAttributes }), 201).json().status).toEqual({
      allowed: false,
    });
    const health = { path: '/livez', verb: 'get' };
    const shown = expectStatus(await ask({ ...anonymous, nonResourceAttributes: health }), 201).json();
    expect(shown.status).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:public-info-viewer" of ClusterRole "system:public-info-viewer" to Group "system:unauthenticated"',
    });
    expect(expectRefusal(await ask({ resourceAttributes }), 422, 'Invalid').details?.causes).toMatchObject([
      { field: 'spec.user', message: expect.stringContaining('at least one of user or group must be specified') },
    ]);
    expectRefusal(await ask({ user: 'jane', resourceAttributes }, { name: 'x' }), 422, 'Invalid');
  });

  test('in one namespace, which must be the one of the request', async () => {
    const ns = await namespace();
    const path = `namespaces/${ns}/localsubjectaccessreviews`;
    const ask = (spec: object, metadata?: object) => post(path, 'LocalSubjectAccessReview', spec, metadata);
    const here = { ...resourceAttributes, namespace: ns };
    const jane = { user: 'jane', groups: ['system:masters'] };
    expect(expectStatus(await ask({ ...jane, resourceAttributes: here }), 201).json()).toMatchObject({
      metadata: { namespace: ns },
      status: { allowed: true },
    });
    const there = expectRefusal(await ask({ user: 'jane', resourceAttributes }), 422, 'Invalid');
    expect(there.details?.causes).toMatchObject([{ field: 'spec.resourceAttributes.namespace' }]);
    const bare = { user: 'jane', nonResourceAttributes: { path: '/', verb: 'get' } };
    expectRefusal(await ask(bare), 422, 'Invalid');
    expectRefusal(await ask({ user: 'jane', resourceAttributes: here }, { namespace: 'x' }), 400, 'BadRequest');
  });

  test('its rules are listed', async () => {
    const ask = (spec: object) => post('selfsubjectrulesreviews', 'SelfSubjectRulesReview', spec);
    const all = ['*'];
    expect(expectStatus(await ask({ namespace: 'default' }), 201).json()).toMatchObject({
      spec: {},
      status: {
        resourceRules: expect.arrayContaining([{ verbs: all, apiGroups: all, resources: all }]),
        nonResourceRules: expect.arrayContaining([{ verbs: all, nonResourceURLs: all }]),
        incomplete: false,
      },
    });
    expect(expectRefusal(await ask({}), 400, 'BadRequest').message).toBe('no namespace on request');
  });

  test('a token is looked at', async () => {
    const ask = (spec: object) =>
      api.post(`/apis/${authentication}/v1/tokenreviews`, {
        apiVersion: `${authentication}/v1`,
        kind: 'TokenReview',
        spec,
      });
    const { token } = inject('servers')[names.protobufMediaType.includes('kubernetes') ? 'kubernetes' : 'orch'];
    const audiences = [`https://${names.apiServiceName}.default.svc.cluster.local`];
    expect(expectStatus(await ask({ token }), 201).json().status).toEqual({
      authenticated: true,
      user: { username: 'tester', uid: 'tester', groups: ['system:masters', 'system:authenticated'] },
      audiences,
    });
    const asked = expectStatus(await ask({ token, audiences: ['vault', ...audiences] }), 201).json();
    expect(asked.status.audiences).toEqual(audiences);
    for (const wrong of ['nobody', ' ', 'a b', `${token}x`]) {
      const { status } = expectStatus(await ask({ token: wrong }), 201).json();
      expect(status).toEqual({ user: {}, error: 'invalid bearer token' });
    }
    const elsewhere = expectStatus(await ask({ token, audiences: ['vault'] }), 201).json();
    expect(elsewhere.status).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(expectRefusal(await ask({}), 400, 'BadRequest').message).toBe(
      'token is required for TokenReview in authentication',
    );
  });

  test('in other encodings too', async () => {
    const path = `/apis/${authorization}/v1/selfsubjectaccessreviews`;
    const body = `apiVersion: ${authorization}/v1\nkind: SelfSubjectAccessReview\nspec:\n  resourceAttributes: {verb: get}\n`;
    const headers = { 'content-type': 'application/yaml', accept: names.protobufMediaType };
    const binary = expectStatus(await api.request('POST', path, { body, headers }), 201);
    expect(binary.headers['content-type']).toBe(names.protobufMediaType);
    const back = { 'content-type': names.protobufMediaType, accept: 'application/json' };
    const answer = expectStatus(await api.request('POST', path, { body: binary.body, headers: back }), 201).json();
    expect(answer.status).toEqual({ allowed: true });
  });

  test('nothing of them is kept or read', async () => {
    const path = `/apis/${authorization}/v1/selfsubjectaccessreviews`;
    expectRefusal(await api.get(path), 405, 'MethodNotAllowed');
    expectRefusal(await api.delete(path), 405, 'MethodNotAllowed');
    expectRefusal(await api.get(`${path}/x`), 405, 'MethodNotAllowed');
  });
});

conformance('Tokens of service accounts [Path shapes]', ({ api, names, namespace }) => {
  const group = names.group('authentication.orch.io');

  test('are judged, and issued', async () => {
    const ns = await namespace();
    const accounts = `/api/v1/namespaces/${ns}/serviceaccounts`;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    const { metadata: robot } = expectStatus(await api.post(accounts, account), 201).json();
    const ask = (spec: object, name = 'robot', metadata: object = {}) =>
      api.post(`${accounts}/${name}/token`, { apiVersion: `${group}/v1`, kind: 'TokenRequest', metadata, spec });
    const issued = expectStatus(await ask({ expirationSeconds: 700 }), 201).json();
    const audiences = [`https://${names.apiServiceName}.default.svc.cluster.local`];
    expect(issued).toEqual({
      kind: 'TokenRequest',
      apiVersion: `${group}/v1`,
      metadata: { name: 'robot', namespace: ns, creationTimestamp: expect.any(String) },
      spec: { audiences, expirationSeconds: 700, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: expect.any(String) },
    });
    const { creationTimestamp } = issued.metadata;
    expect(Date.parse(issued.status.expirationTimestamp) - Date.parse(creationTimestamp)).toBe(700_000);
    const claims = claimsOf(issued.status.token);
    expect(claims).toMatchObject({ sub: `system:serviceaccount:${ns}:robot`, aud: audiences, iss: audiences[0] });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(700);
    expect(claims[names.key('orch.io/').slice(0, -1)]).toEqual({
      namespace: ns,
      serviceaccount: { name: 'robot', uid: robot.uid },
    });
    expect(expectRefusal(await ask({}, 'none'), 404, 'NotFound').message).toBe('serviceaccounts "none" not found');
    expect(expectRefusal(await ask({ expirationSeconds: 599 }), 422, 'Invalid').details?.causes).toMatchObject([
      { field: 'spec.expirationSeconds', message: expect.stringContaining('may not specify a duration less than 10') },
    ]);
    expectRefusal(await ask({ expirationSeconds: 2 ** 32 + 1 }), 422, 'Invalid');
    expectRefusal(await ask({}, 'robot', { name: 'other' }), 422, 'Invalid');
    const bound = (boundObjectRef: object) => ask({ expirationSeconds: 600, boundObjectRef });
    expectRefusal(await bound({ apiVersion: 'v1', kind: 'Node', name: 'n' }), 400, 'BadRequest');
    const missing = expectRefusal(await bound({ apiVersion: 'v1', kind: 'Secret', name: 's' }), 404, 'NotFound');
    expect(missing.message).toBe('secrets "s" not found');
    expectRefusal(await bound({ apiVersion: 'v1', kind: 'Secret', name: 'a\0b' }), 404, 'NotFound');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const { metadata: held } = expectStatus(await api.post(`/api/v1/namespaces/${ns}/secrets`, secret), 201).json();
    const ref = { apiVersion: 'v1', kind: 'Secret', name: 's' };
    const { token } = expectStatus(await bound(ref), 201).json().status;
    expect(claimsOf(token)[names.key('orch.io/').slice(0, -1)]).toMatchObject({
      secret: { name: 's', uid: held.uid },
    });
    expectRefusal(await bound({ ...ref, uid: 'x' }), 409, 'Conflict');
  });

  test('for pods that read them once, and for others', async () => {
    const ns = await namespace();
    const make = async (plural: string, object: object) =>
      expectStatus(await api.post(`/api/v1/namespaces/${ns}/${plural}`, { apiVersion: 'v1', ...object }), 201);
    await make('serviceaccounts', { kind: 'ServiceAccount', metadata: { name: 'robot' } });
    await make('serviceaccounts', { kind: 'ServiceAccount', metadata: { name: 'other' } });
    const spec = { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] };
    await make('pods', { kind: 'Pod', metadata: { name: 'p' }, spec });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p' };
    const ask = (name: string, more: object) =>
      api.post(`/api/v1/namespaces/${ns}/serviceaccounts/${name}/token`, {
        ...{ apiVersion: `${group}/v1`, kind: 'TokenRequest' },
        spec: { boundObjectRef, ...more },
      });
    expect(expectRefusal(await ask('other', {}), 400, 'BadRequest').message).toBe(
      'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
    );
    const lifetime = async (more: object) => {
      const { spec: asked, status } = expectStatus(await ask('robot', more), 201).json();
      const { exp, iat, ...claims } = claimsOf(status.token);
      const { warnafter } = claims[names.key('orch.io/').slice(0, -1)] as { warnafter?: number };
      return [asked.expirationSeconds, Number(exp) - Number(iat), warnafter && warnafter - Number(iat)];
    };
    expect(await lifetime({ expirationSeconds: 3607 })).toEqual([3607, 31_536_000, 3607]);
    expect(await lifetime({ expirationSeconds: 3600 })).toEqual([3600, 3600, undefined]);
    expect(await lifetime({ expirationSeconds: 3607, audiences: ['vault'] })).toEqual([3607, 3607, undefined]);
  });

  test('in every encoding', async () => {
    const ns = await namespace();
    const accounts = `/api/v1/namespaces/${ns}/serviceaccounts`;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    expectStatus(await api.post(accounts, account), 201);
    const body = `apiVersion: ${group}/v1\nkind: TokenRequest\nspec: {audiences: [a, b]}\n`;
    const headers = { 'content-type': 'application/yaml', accept: names.protobufMediaType };
    const binary = expectStatus(await api.request('POST', `${accounts}/robot/token`, { body, headers }), 201);
    expect(binary.headers['content-type']).toBe(names.protobufMediaType);
    const back = { 'content-type': names.protobufMediaType, accept: 'application/json' };
    const again = await api.request('POST', `${accounts}/robot/token`, { body: binary.body, headers: back });
    expect(claimsOf(expectStatus(again, 201).json().status.token).aud).toEqual(['a', 'b']);
  });
});

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

conformance('Component statuses [Path shapes]', ({ api, names }) => {
  const path = '/api/v1/componentstatuses';

  test('say how the parts of the control plane are', async () => {
    const listed = expectStatus(await api.get(path), 200);
    expect(listed.warnings).toEqual(['v1 ComponentStatus is deprecated in v1.19+']);
    expect(listed.json().metadata).toEqual({});
    const { kind, items } = listed.json<{
      kind: string;
      items: { metadata: { name: string }; conditions: object[] }[];
    }>();
    expect(kind).toBe('ComponentStatusList');
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['postgres', 'feed']);
    for (const { conditions } of items)
      expect(conditions).toEqual([{ type: 'Healthy', status: 'True', message: 'ok' }]);
    const one = expectStatus(await api.get(`${path}/postgres`), 200).json();
    expect(one).toMatchObject({ kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'postgres' } });
    expect(expectRefusal(await api.get(`${path}/none`), 404, 'NotFound').message).toBe(
      'componentstatuses "none" not found',
    );
    expectRefusal(await api.delete(`${path}/postgres`), 405, 'MethodNotAllowed');
  });

  test('come in every encoding', async () => {
    for (const of of [path, `${path}/feed`]) {
      const yaml = expectStatus(await api.get(of, { accept: 'application/yaml' }), 200);
      expect(yaml.text).toContain('name: feed');
      const binary = expectStatus(await api.get(of, { accept: names.protobufMediaType }), 200);
      expect(binary.text).toContain('feed');
      expect(binary.headers['content-type']).toBe(names.protobufMediaType);
    }
  });

  test('are a table too, and can be selected', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const table = expectStatus(await api.get(path, { accept }), 200).json<{
      kind: string;
      rows?: { cells: unknown[] }[];
    }>();
    if (table.kind === 'Table') {
      expect(table.rows?.map(({ cells }) => cells)).toEqual([
        ['postgres', 'Healthy', 'ok', ''],
        ['feed', 'Healthy', 'ok', ''],
      ]);
    }
    const one = expectStatus(await api.get(`${path}?fieldSelector=metadata.name=feed`), 200).json<{
      items: unknown[];
    }>();
    expect(one.items).toHaveLength(1);
    const none = expectStatus(await api.get(`${path}?labelSelector=a=b`), 200).json<{ items: unknown[] }>();
    expect(none.items).toEqual([]);
  });
});
