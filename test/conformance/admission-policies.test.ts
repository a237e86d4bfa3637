import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, Api, type ApiObject } from '../support/api.js';
import { sizedWidgets } from '../support/sized-widgets.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, configMaps, deployment, deployments, expectRefusal, expectStatus } from './conformance.js';

const POLL = { timeout: 30_000, interval: 20 };
const GROUP = 'admissionregistration.k8s.io';
const BASE = `/apis/${GROUP}/v1alpha1`;
const POLICIES = `${BASE}/validatingadmissionpolicies`;
const BINDINGS = `${BASE}/validatingadmissionpolicybindings`;
const CONFIG_MAPS = {
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  operations: ['CREATE', 'UPDATE'],
};
const V1 = `/apis/${GROUP}/v1/validatingadmissionpolicies`;
const V1_BINDINGS = `/apis/${GROUP}/v1/validatingadmissionpolicybindings`;
const AUDITED = 'validation.policy.admission.k8s.io/validation_failure';

describe('admission policies', () => {
  const dir = mkdtempSync(join(tmpdir(), 'orch-policies-'));
  const log = join(dir, 'audit.log');
  const made: string[] = [];
  let server: Standalone;
  let api: Api;
  beforeAll(async () => {
    writeFileSync(
      join(dir, 'audit.yaml'),
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n  resources:\n  - resources: [configmaps]\n- level: None\n',
    );
    server = await startStandalone({
      strangers: ['author'],
      args: [
        '--feature-gates=ValidatingAdmissionPolicy=true',
        `--runtime-config=${[
          'v1alpha1',
          'v1beta1',
          'v1/validatingadmissionpolicies',
          'v1/validatingadmissionpolicybindings',
        ]
          .map((key) => `${GROUP}/${key}=true`)
          .join(',')}`,
        `--audit-policy-file=${join(dir, 'audit.yaml')}`,
        `--audit-log-path=${log}`,
        '--audit-log-mode=blocking',
      ],
    });
    api = new Api(server);
  });
  afterEach(async () => {
    for (const path of made.splice(0).reverse()) expectStatus(await api.delete(path), 200);
  });
  afterAll(async () => {
    api?.close();
    await server?.stop();
    rmSync(dir, { recursive: true });
  });

  const unique = () => `t-${randomBytes(5).toString('hex')}`;

  async function make(path: string, object: object, by = api): Promise<ApiObject> {
    const created = expectStatus(await by.post(path, object), 201).json<ApiObject>();
    made.push(`${path}/${created.metadata.name}`);
    return created;
  }

  async function namespace(): Promise<string> {
    const metadata = { name: unique() };
    expectStatus(await api.post('/api/v1/namespaces', { metadata }), 201);
    return metadata.name;
  }

  const policyOf = (name: string, spec: object, rule: object = CONFIG_MAPS) => ({
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
  });
  /** Creates a binding that applies the policy to one namespace. */
  const bindingOf = (name: string, policyName: string, within: string, spec: object = {}) => ({
    metadata: { name },
    spec: {
      policyName,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': within } } },
      ...spec,
    },
  });

  /** A policy of this name and a binding of it, in a namespace. */
  async function install(
    within: string,
    spec: object,
    binding: object = {},
    rule: object = CONFIG_MAPS,
  ): Promise<string> {
    const name = unique();
    await make(POLICIES, policyOf(name, spec, rule));
    await make(BINDINGS, bindingOf(`${name}-b`, name, within, binding));
    return name;
  }

  const post = (within: string, name = unique(), more = {}): Promise<Answer> =>
    api.post(configMaps(within), configMap(name, more));
  /** Answers once a request has this code: policies hold a moment after they were written. */
  const until = async (code: number, ask: () => Promise<Answer>): Promise<Answer> => {
    let last: Answer | undefined;
    const asked = async () => {
      last = await ask();
      return last.status;
    };
    await expect.poll(asked, POLL).toBe(code);
    return last as Answer;
  };

  test('see what objects leave out and clients with declared types always write', async () => {
    const within = await namespace();
    const rule = {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['deployments'],
      operations: ['CREATE', 'UPDATE'],
    };
    const expression = 'object.spec.template.spec.containers.all(c, has(c.resources.limits))';
    await install(within, { failurePolicy: 'Ignore', validations: [{ expression, message: 'limits!' }] }, {}, rule);
    expect(expectRefusal(await api.post(deployments(within), deployment('d')), 422, 'Invalid').message).toContain(
      'limits!',
    );
  });

  test('deny what does not hold, in dry runs too, and let pass what does', async () => {
    const within = await namespace();
    const name = await install(within, {
      validations: [{ expression: "object.data.a != '1'", messageExpression: "'a is ' + object.data.a" }],
    });
    // They hold for whoever has the answer, at the same server.
    const answer = expectStatus(await post(within, 'm'), 422);
    const message = `ValidatingAdmissionPolicy '${name}' with binding '${name}-b' denied request: a is 1`;
    const status = expectRefusal(answer, 422, 'Invalid');
    expect(status.message).toBe(`configmaps "m" is forbidden: ${message}`);
    expect(status.details).toEqual({ name: 'm', kind: 'configmaps', causes: [{ message }] });
    expectStatus(await api.post(`${configMaps(within)}?dryRun=All`, configMap('m')), 422);
    expectStatus(await post(within, 'm', { data: { a: '2' } }), 201);
    expectStatus(await api.patch(`${configMaps(within)}/m`, 'merge', { data: { a: '1' } }), 422);
    expectStatus(await api.patch(`${configMaps(within)}/m`, 'merge', { data: { a: '3' } }), 200);
    expectStatus(await post(await namespace(), 'm'), 201);
    expectStatus(await api.delete(`${configMaps(within)}/m`), 200);
    const { body } = await api.request('GET', '/metrics');
    expect(body.toString()).toMatch(
      new RegExp(
        `apiserver_validating_admission_policy_check_total\\{policy="${name}",policy_binding="${name}-b",enforcement_action="deny",state="active"\\} [1-9]`,
      ),
    );
  });

  test('warn, and tell the audit log', async () => {
    const within = await namespace();
    const name = await install(
      within,
      {
        validations: [{ expression: "object.data.a != '1'", message: 'no' }],
        auditAnnotations: [{ key: 'a', valueExpression: "'a=' + object.data.a" }],
      },
      { validationActions: ['Warn', 'Audit'] },
    );
    let answer: Answer | undefined;
    const warned = async () => {
      answer = expectStatus(await post(within), 201);
      return answer.warnings;
    };
    await expect
      .poll(warned, POLL)
      .toEqual([`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}-b': no`]);
    const id = answer?.headers['audit-id'];
    const noted = () => {
      const lines = readFileSync(log, 'utf8').split('\n');
      const line = lines.find((each) => each.includes(`"auditID":"${id}"`));
      return line === undefined
        ? undefined
        : (JSON.parse(line) as { annotations?: Record<string, string> }).annotations;
    };
    await expect.poll(noted, POLL).toBeDefined();
    const { [AUDITED]: failure = '', [`${name}/a`]: value } = noted() ?? {};
    expect(JSON.parse(failure)).toEqual([
      {
        ...{ message: 'no', policy: name, binding: `${name}-b`, expressionIndex: 0 },
        validationActions: ['Warn', 'Audit'],
      },
    ]);
    expect(value).toBe('a=1');
  });

  test('are told what to ask for by objects of any kind, as they are now', async () => {
    const within = await namespace();
    await post(within, 'limits', { data: { most: '1' } });
    const asksFor = (paramKind: object, expression: string) => ({ paramKind, validations: [{ expression }] });
    await install(within, asksFor({ apiVersion: 'v1', kind: 'ConfigMap' }, 'params.data.most >= object.data.a'), {
      paramRef: { name: 'limits', namespace: within },
    });
    await until(422, () => post(within, unique(), { data: { a: '2' } }));
    expectStatus(await post(within), 201);
    expectStatus(await api.patch(`${configMaps(within)}/limits`, 'merge', { data: { most: '3', a: '1' } }), 200);
    expectStatus(await post(within, unique(), { data: { a: '2' } }), 201);
    // The policy itself means it, and its failure is no reason to keep it.
    expectStatus(await api.delete(`${configMaps(within)}/limits`), 200);
    const missing = await post(within);
    expect(missing.json<{ message: string }>().message).toContain('failed to configure binding: limits not found');
  });

  test('may be told by custom resources, which need not be there yet', async () => {
    const group = `${unique()}.example.com`;
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const within = await namespace();
    const paramKind = { apiVersion: `${group}/v1`, kind: 'Widget' };
    await install(
      within,
      { paramKind, validations: [{ expression: 'params.spec.size >= int(object.data.a)' }] },
      { paramRef: { name: 'w', namespace: within } },
    );
    const early = await until(422, () => post(within));
    expect(early.json<{ message: string }>().message).toContain(
      `denied request: failed to configure policy: failed to find resource referenced by paramKind: '${group}/v1, Kind=Widget'`,
    );
    const definition = sizedWidgets({ group, apiVersion: 'apiextensions.k8s.io/v1' }, { strategy: 'None' });
    await make(definitions, definition);
    const widgets = `/apis/${group}/v1/namespaces/${within}/widgets`;
    const widget = { ...paramKind, metadata: { name: 'w' }, spec: { size: 1 } };
    await until(201, () => api.post(`${widgets}?dryRun=All`, widget));
    expectStatus(await api.post(widgets, widget), 201);
    await until(201, () => post(within));
    expectStatus(await post(within, unique(), { data: { a: '2' } }), 422);
  });

  test('tell in their status what is wrong with types', async () => {
    const name = unique();
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['CREATE'] };
    const validations = [{ expression: 'object.spec.replicas > 1' }, { expression: 'object.spec.nothing > 1' }];
    await make(POLICIES, policyOf(name, { validations }, rule));
    const status = async () => (await api.get(`${POLICIES}/${name}`)).json().status;
    await expect.poll(async () => (await status())?.observedGeneration, POLL).toBe(1);
    expect((await status()).typeChecking.expressionWarnings).toEqual([
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'nothing'\n | object.spec.nothing > 1\n | ...........^",
      },
    ]);
  });

  test('share variables, whose types are checked', async () => {
    const within = await namespace();
    const variables = [
      { name: 'names', expression: 'object.data.map(key, key)' },
      { name: 'long', expression: 'variables.names.filter(name, size(name) > 3)' },
    ];
    const name = await install(within, {
      variables,
      validations: [
        { expression: 'size(variables.long) == 0', messageExpression: "'too long: ' + variables.long.join(', ')" },
      ],
    });
    expectStatus(await post(within), 201);
    const refused = expectStatus(await post(within, unique(), { data: { a: '1', abcd: '2' } }), 422);
    expect(refused.json<{ message: string }>().message).toContain(`binding '${name}-b' denied request: too long: abcd`);
    const wrong = { variables, validations: [{ expression: 'variables.long == 1' }] };
    expectStatus(await api.post(`${POLICIES}?dryRun=All`, policyOf(unique(), wrong)), 422);
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['CREATE'] };
    const typed = unique();
    const spec = {
      variables: [{ name: 'replicas', expression: 'object.spec.replicas' }],
      validations: [{ expression: "variables.replicas == 'a'" }],
    };
    await make(POLICIES, policyOf(typed, spec, rule));
    const status = async () => (await api.get(`${POLICIES}/${typed}`)).json().status;
    await expect.poll(async () => (await status())?.observedGeneration, POLL).toBe(1);
    expect((await status()).typeChecking.expressionWarnings[0].warning).toContain(
      "found no matching overload for '_==_' applied to '(int, string)'",
    );
  });

  test('are told by all objects with certain labels, or by none', async () => {
    const within = await namespace();
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: '!has(object.data.a) || object.data.a in params.data', message: 'not listed' }],
    };
    const selector = { matchLabels: { list: within } };
    const name = await install(within, spec, { paramRef: { selector, parameterNotFoundAction: 'Allow' } });
    expectStatus(await post(within), 201);
    const list = (data: object) => ({ metadata: { name: unique(), labels: { list: within } }, data });
    // In the namespace of the request.
    expectStatus(await api.post(configMaps(within), list({ '1': '', '2': '' })), 201);
    expectStatus(await api.post(configMaps(await namespace()), list({ '3': '' })), 201);
    expectStatus(await post(within), 201);
    expectStatus(await post(within, unique(), { data: { a: '3' } }), 422);
    // Each of them must agree.
    expectStatus(await api.post(configMaps(within), list({ '2': '' })), 201);
    expectStatus(await post(within), 422);
    expectStatus(await post(within, unique(), { data: { a: '2' } }), 201);
    const denies = {
      spec: { paramRef: { selector: { matchLabels: { list: 'none' } }, parameterNotFoundAction: 'Deny' } },
    };
    expectStatus(await api.patch(`${BINDINGS}/${name}-b`, 'merge', denies), 200);
    expect(expectStatus(await post(within), 422).json<{ message: string }>().message).toContain(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  });

  test('are one object in all versions', async () => {
    const within = await namespace();
    const name = unique();
    const spec = {
      variables: [{ name: 'a', expression: 'object.data.a' }],
      validations: [{ expression: "variables.a != '1'" }],
    };
    const created = await make(V1, policyOf(name, spec));
    expect(created).toMatchObject({
      apiVersion: `${GROUP}/v1`,
      spec: { ...spec, failurePolicy: 'Fail', matchConstraints: { matchPolicy: 'Equivalent', namespaceSelector: {} } },
    });
    await make(
      V1_BINDINGS,
      bindingOf(`${name}-b`, name, within, { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
    );
    expectStatus(await post(within), 422);
    for (const version of ['v1alpha1', 'v1beta1', 'v1']) {
      const path = `/apis/${GROUP}/${version}/validatingadmissionpolicies/${name}`;
      const found = expectStatus(await api.get(path), 200).json();
      expect(found.apiVersion).toBe(`${GROUP}/${version}`);
      expect(found.spec).toEqual(created.spec);
    }
    expect(expectStatus(await api.get(V1), 200).json()).toMatchObject({ kind: 'ValidatingAdmissionPolicyList' });
    const owners = created.metadata.managedFields ?? [];
    expect(owners.map(({ apiVersion }) => apiVersion)).toEqual([`${GROUP}/v1`]);
    const missing = bindingOf(unique(), name, within, { paramRef: { name: 'x' } });
    expect(expectRefusal(await api.post(V1_BINDINGS, missing), 422, 'Invalid').details?.causes).toMatchObject([
      { reason: 'FieldValueRequired', field: 'spec.paramRef.parameterNotFoundAction' },
    ]);
    // What the first version does not ask for is said in the others.
    const { metadata } = await make(BINDINGS, missing);
    const later = expectStatus(await api.get(`${V1_BINDINGS}/${metadata.name}`), 200).json();
    expect(later.spec.paramRef).toEqual({ name: 'x', parameterNotFoundAction: 'Deny' });
    expectStatus(
      await api.patch(`${V1_BINDINGS}/${metadata.name}`, 'merge', { metadata: { labels: { a: 'b' } } }),
      200,
    );
    expect((await api.get(`${BINDINGS}/${metadata.name}`)).json().metadata.labels).toEqual({ a: 'b' });
    const { metadata: laxer } = await make(BINDINGS, bindingOf(unique(), name, within, { paramRef: {} }));
    const change = (body: object) => api.patch(`${V1_BINDINGS}/${laxer.name}`, 'merge', body);
    expectStatus(await change({ metadata: { labels: { a: 'b' } } }), 200);
    expectStatus(await change({ spec: { paramRef: { namespace: 'n' } } }), 422);
    expectStatus(await change({ spec: { paramRef: { name: 'y', parameterNotFoundAction: 'Deny' } } }), 200);
    expectStatus(await change({ spec: { paramRef: { name: 'z', parameterNotFoundAction: null } } }), 422);
  });

  test('see subresources as what is sent to them, and other versions as the one that they name', async () => {
    const within = await namespace();
    const scale = {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['deployments/scale'],
      operations: ['UPDATE'],
    };
    await install(
      within,
      { validations: [{ expression: "object.kind == 'Scale' && object.spec.replicas < 3" }] },
      {},
      scale,
    );
    expectStatus(await api.post(deployments(within), deployment('d')), 201);
    const scaled = (replicas: number) =>
      api.patch(`${deployments(within)}/d/scale?dryRun=All`, 'merge', { spec: { replicas } });
    await until(422, () => scaled(3));
    expectStatus(await scaled(2), 200);
    const v1 = {
      apiGroups: ['autoscaling'],
      apiVersions: ['v1'],
      resources: ['horizontalpodautoscalers'],
      operations: ['CREATE'],
    };
    await install(within, { validations: [{ expression: 'object.spec.targetCPUUtilizationPercentage < 50' }] }, {}, v1);
    const autoscaled = (averageUtilization: number) =>
      api.post(`/apis/autoscaling/v2/namespaces/${within}/horizontalpodautoscalers?dryRun=All`, {
        metadata: { name: 'h' },
        spec: {
          ...{ scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 2 },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
          ],
        },
      });
    await until(422, () => autoscaled(60));
    expectStatus(await autoscaled(40), 201);
  });

  test('never keep from changing what decides about requests', async () => {
    const within = await namespace();
    const name = unique();
    const rule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] };
    const conditions = [{ name: 'own', expression: `request.name.startsWith('${name}')` }];
    const spec = { validations: [{ expression: 'false' }], matchConditions: conditions };
    await make(POLICIES, policyOf(name, spec, rule));
    await make(BINDINGS, { metadata: { name: `${name}-b` }, spec: { policyName: name, validationActions: ['Deny'] } });
    await until(422, () => post(within, `${name}-m`));
    const webhooks = `/apis/${GROUP}/v1/validatingwebhookconfigurations`;
    expectStatus(await api.post(`${webhooks}?dryRun=All`, { metadata: { name: `${name}-w` } }), 201);
    expectStatus(await api.patch(`${POLICIES}/${name}`, 'merge', { spec: { failurePolicy: 'Ignore' } }), 200);
  });

  test('are refused where their expressions are none, or read what their author may not', async () => {
    const refused = await api.post(POLICIES, policyOf(unique(), { validations: [{ expression: 'object.a' }] }));
    expect(expectRefusal(refused, 422, 'Invalid').details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.validations[0].expression',
        message: 'Invalid value: "object.a": must evaluate to bool',
      },
    ]);
    const role = unique();
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await make(`${rbac}/clusterroles`, {
      metadata: { name: role },
      rules: [{ apiGroups: [GROUP], resources: ['*'], verbs: ['*'] }],
    });
    await make(`${rbac}/clusterrolebindings`, {
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'author' }],
    });
    const author = new Api({ ...server, token: 'author' });
    try {
      const paramKind = { apiVersion: 'v1', kind: 'Secret' };
      const spec = { paramKind, validations: [{ expression: 'true' }] };
      const answer = await until(422, () => author.post(`${POLICIES}?dryRun=All`, policyOf(unique(), spec)));
      const [cause] = expectRefusal(answer, 422, 'Invalid').details?.causes ?? [];
      expect(cause).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec.paramKind' });
      expect(cause?.message).toContain('must have "get" permission on all objects of the referenced paramKind');
    } finally {
      author.close();
    }
  });
});
