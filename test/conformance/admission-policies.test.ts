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
        `--runtime-config=${GROUP}/v1alpha1=true`,
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
  /** Where it holds: one namespace. */
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
