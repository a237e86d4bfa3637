import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Authorizer } from '@orch/authorization';
import type { ApiObject, JsonObject } from '@orch/machinery';
import { StatusError, timeout } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Attributes } from '../attributes.js';
import { attributesOf, pluginContext, TestObjects, targetOf } from '../testing/index.js';
import type { ParamKind, PolicyServices } from './policy-services.js';
import { validatingAdmissionPolicies } from './validating-admission-policy.js';

const GROUP = 'admissionregistration.orch.io';
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' }, spec: { count: 3n } };
const PODS = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE', 'UPDATE'] };
const MATCH = { resourceRules: [PODS], matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
const LIMIT: ParamKind = { apiVersion: 'example.com/v1', kind: 'Limit' };
const WITH = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

interface Settings {
  readonly on?: boolean;
  readonly limits?: Readonly<Record<string, JsonObject>>;
  readonly served?: boolean;
  readonly namespaced?: boolean;
  readonly find?: PolicyServices['params']['find'];
}

/** The plugin with policies by their names; `p` is bound by `b` as it says. */
function rig({ on = true, limits = {}, served = true, namespaced = true, find }: Settings = {}) {
  const objects = new TestObjects().put('', 'namespaces', {
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { env: 'test' } } },
  });
  const metrics = new Metrics();
  const followed: ParamKind[][] = [];
  const failed: string[] = [];
  const policies: PolicyServices = {
    ...pluginContext().policies,
    params: {
      follow: (kinds) => void followed.push([...kinds]),
      isNamespaced: () => (served ? namespaced : undefined),
      find: find ?? ((_kind, namespace, name) => limits[`${namespace}/${name}`] as ApiObject | undefined),
      select: (_kind, namespace, selector) =>
        Object.entries(limits)
          .filter(([key]) => key.startsWith(`${namespace}/`))
          .map(([, limit]) => limit as ApiObject)
          .filter(({ metadata }) => selector.matches(metadata?.labels ?? {})),
    },
    conditionFailed: (policy) => void failed.push(policy),
  };
  const plugin = validatingAdmissionPolicies(pluginContext({ objects, metrics, policies, isEnabled: () => on }));
  const put = (resource: string, name: string, spec: object) =>
    objects.put(GROUP, resource, { apiVersion: 'v1', kind: 'X', metadata: { name }, spec } as never);
  const policy = (spec: object, name = 'p') =>
    put('validatingadmissionpolicies', name, { matchConstraints: MATCH, failurePolicy: 'Fail', ...spec });
  const bind = (spec: object = {}, name = 'b') =>
    put('validatingadmissionpolicybindings', name, { policyName: 'p', validationActions: ['Deny'], ...spec });
  return { plugin, objects, policy, bind, followed, failed, metrics: async () => (await metrics.text()).body };
}

/** What comes of a request, as a client and the audit log see it. */
async function judged(plugin: ReturnType<typeof rig>['plugin'], changed: Partial<Attributes> = {}) {
  const annotations: Record<string, string> = {};
  const warnings: string[] = [];
  const attributes = attributesOf({
    object: POD as unknown as ApiObject,
    annotate: (key, value) => void Object.assign(annotations, { [key]: value }),
    warn: (text) => void warnings.push(text),
    ...changed,
  });
  let status: StatusError['status'] | undefined;
  try {
    if (plugin.handles(attributes)) await plugin.validate?.(attributes);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    status = error.status;
  }
  const cause = status?.details?.causes?.[0]?.message;
  return { status, cause: cause?.replace(WITH, ''), annotations, warnings };
}

/** The judgement of a policy with these validations, bound to deny. */
async function causeOf(spec: object, changed: Partial<Attributes> = {}, settings: Settings = {}, binding: object = {}) {
  const { plugin, policy, bind } = rig(settings);
  policy(spec);
  bind(binding);
  return (await judged(plugin, changed)).cause;
}

test('without its gate it has nothing to say', async () => {
  const { plugin, policy, bind } = rig({ on: false });
  policy({ validations: [{ expression: 'false' }] });
  bind();
  expect(plugin.handles(targetOf({}))).toBe(false);
});

test('what does not hold is denied, in the words of the reference', async () => {
  const { plugin, policy, bind } = rig();
  policy({ validations: [{ expression: 'object.spec.count < 2' }] });
  expect(plugin.handles(targetOf({}))).toBe(false);
  bind();
  const { status } = await judged(plugin);
  const message = `${WITH}failed expression: object.spec.count < 2`;
  expect(status).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message: `pods "a" is forbidden: ${message}`,
    details: { name: 'a', kind: 'pods', causes: [{ message }] },
  });
  policy({ validations: [{ expression: 'object.spec.count < 4' }] });
  expect((await judged(plugin)).status).toBeUndefined();
});

test.each([
  ['Forbidden', 403],
  ['Invalid', 422],
  ['RequestEntityTooLarge', 413],
])('the reason %s is %d', async (reason, code) => {
  const { plugin, policy, bind } = rig();
  policy({ validations: [{ expression: 'false', reason }] });
  bind();
  expect((await judged(plugin)).status).toMatchObject({ reason, code });
});

test.each([
  [{ message: ' said ' }, 'said'],
  [{ message: 'said', messageExpression: "'count is ' + string(object.spec.count)" }, 'count is 3'],
  [{ message: 'said', messageExpression: "'  '" }, 'said'],
  [{ message: 'said', messageExpression: "'a\\nb'" }, 'said'],
  [{ message: 'said', messageExpression: 'string(object.nothing)' }, 'said'],
  [{ message: 'said', messageExpression: `'${'x'.repeat(5121)}'` }, 'said'],
  [{ messageExpression: '1' }, 'failed expression: 1 == 2'],
])('the message of %j', async (said, expected) => {
  expect(await causeOf({ validations: [{ expression: ' 1 == 2 ', ...said }] })).toBe(expected);
});

test('expressions see the request and both objects', async () => {
  const validations = [
    { expression: "request.operation == 'UPDATE' && request.name == 'a' && request.userInfo.username == 'jane'" },
    { expression: 'oldObject.spec.count == 1 && object.spec.count == 3' },
    { expression: "request.resource.resource == 'pods' && request.kind.kind == 'Pod' && !request.dryRun" },
  ];
  const oldObject = { ...POD, spec: { count: 1n } } as unknown as ApiObject;
  expect(await causeOf({ validations }, { operation: 'UPDATE', oldObject })).toBeUndefined();
  const creation = await causeOf({ validations: [{ expression: 'oldObject == null' }] });
  expect(creation).toBeUndefined();
});

test('expressions see the namespace of the request, where it lies in one', async () => {
  const validations = [
    {
      expression: "namespaceObject.metadata.labels['env'] == 'prod'",
      messageExpression: 'namespaceObject.metadata.name',
    },
  ];
  expect(await causeOf({ validations })).toBe('default');
  const resource = { resource: 'nodes', kind: 'Node', namespace: '' };
  const matchConstraints = { ...MATCH, resourceRules: [{ ...PODS, resources: ['*'] }] };
  const none = { validations: [{ expression: 'namespaceObject == null' }], matchConstraints };
  expect(await causeOf(none, resource)).toBeUndefined();
  expect(await causeOf(none, { resource: 'namespaces', kind: 'Namespace' })).toBeUndefined();
});

test('what cannot be evaluated obeys the failure policy', async () => {
  const validations = [{ expression: 'object.nothing == 1' }];
  const why = "expression 'object.nothing == 1' resulted in error: no such key: nothing";
  expect(await causeOf({ validations })).toBe(why);
  expect(await causeOf({ validations, failurePolicy: 'Ignore' })).toBeUndefined();
  const faulty = [{ expression: 'nothing == 1' }];
  expect(await causeOf({ validations: faulty })).toMatch(/^compilation error: compilation failed: ERROR: <input>:1:1/);
  expect(await causeOf({ validations: faulty, failurePolicy: 'Ignore' })).toBeUndefined();
});

test('what costs too much is given up', async () => {
  const spec = { list: Array.from({ length: 700 }, (_, at) => at) };
  const object = { ...POD, spec } as unknown as ApiObject;
  const dear = 'object.spec.list.all(a, object.spec.list.all(b, a + b >= 0))';
  expect(await causeOf({ validations: [{ expression: dear }] }, { object })).toBe(
    `expression '${dear}' resulted in error: operation cancelled: actual cost limit exceeded`,
  );
  const many = Array.from({ length: 11 }, () => ({ expression: dear }));
  const out = 'validation failed due to running out of cost budget, no further validation rules will be run';
  expect(await causeOf({ validations: many }, { object })).toBe(out);
});

test('the authorizer of the request is asked, also about its resource', async () => {
  const asked: object[] = [];
  const authorizer: Authorizer = {
    authorize: async (_user: unknown, request: { readonly verb: string }) => {
      const { verb } = request;
      asked.push(request);
      return { decision: verb === 'create' ? 'allow' : 'deny', reason: `not ${verb}` };
    },
  } as never;
  const validations = [
    { expression: "authorizer.requestResource.check('create').allowed()" },
    { expression: "authorizer.group('apps').resource('deployments').check('watch').allowed()", message: 'no watch' },
  ];
  expect(await causeOf({ validations }, { authorizer })).toBe('no watch');
  expect(asked).toMatchObject([
    { verb: 'create', resource: 'pods', namespace: 'default', name: 'a' },
    { verb: 'watch', group: 'apps', resource: 'deployments' },
  ]);
});

test('variables are shared by all that a policy says of a request', async () => {
  const { plugin, policy, bind } = rig({ limits: { 'default/x': { data: { most: 2 } } } });
  policy({
    paramKind: LIMIT,
    variables: [
      { name: 'most', expression: 'params.data.most' },
      { name: 'excess', expression: 'object.spec.count - variables.most' },
      { name: 'unread', expression: 'object.nothing.at.all' },
    ],
    validations: [
      { expression: 'variables.excess <= 0', messageExpression: "string(variables.excess) + ' too many'" },
      { expression: 'true || variables.unread' },
    ],
    auditAnnotations: [{ key: 'excess', valueExpression: 'string(variables.excess)' }],
  });
  bind({ paramRef: { name: 'x' } });
  const { cause, annotations } = await judged(plugin);
  expect(cause).toBe('1 too many');
  expect(annotations).toEqual({ 'p/excess': '1' });
});

test('variables that fail are failures of what reads them, and of nothing else', async () => {
  const variables = [
    { name: 'a', expression: 'object.nothing' },
    { name: 'b', expression: '1 + true' },
  ];
  const reported = (expression: string, more = {}) => causeOf({ variables, validations: [{ expression }], ...more });
  expect(await reported('variables.a == 1')).toBe(
    `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nothing`,
  );
  expect(await reported('variables.a == 1', { failurePolicy: 'Ignore' })).toBeUndefined();
  expect(await reported('variables.b == 1')).toContain('composited variable "b" fails to compile: compilation failed');
  expect(await reported('true')).toBeUndefined();
  expect(await reported('variables.c == 1')).toContain("undefined field 'c'");
});

test('variables ask the authorizer once, and only where they are read', async () => {
  const asked: string[] = [];
  const authorizer: Authorizer = {
    authorize: async (_user: unknown, { path }: { readonly path: string }) => {
      asked.push(path);
      return { decision: path === '/a' ? 'allow' : 'deny', reason: '' };
    },
  } as never;
  const may = (path: string) => `authorizer.path('${path}').check('get').allowed()`;
  const variables = [
    { name: 'a', expression: may('/a') },
    { name: 'b', expression: `variables.a && ${may('/b')}` },
    { name: 'c', expression: may('/c') },
  ];
  const validations = [{ expression: 'variables.a' }, { expression: 'variables.b || variables.a' }];
  expect(await causeOf({ variables, validations }, { authorizer })).toBeUndefined();
  expect(asked).toEqual(['/a', '/b']);
});

test('what variables cost counts, once', async () => {
  const spec = { list: Array.from({ length: 500 }, (_, at) => at) };
  const object = { ...POD, spec } as unknown as ApiObject;
  const dear = 'object.spec.list.all(a, object.spec.list.exists(b, a + b > 400))';
  const named = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `v${at}`, expression: dear }));
  const reading = (count: number) => [
    { expression: Array.from({ length: count }, (_, at) => `variables.v${at}`).join(' && ') },
  ];
  const out = 'validation failed due to running out of cost budget, no further validation rules will be run';
  const many = Array.from({ length: 50 }, () => ({ expression: 'variables.v0' }));
  expect(await causeOf({ variables: named(1), validations: many }, { object })).toBeUndefined();
  expect(await causeOf({ variables: named(4), validations: reading(4) }, { object })).toBeUndefined();
  expect(await causeOf({ variables: named(60), validations: reading(60) }, { object })).toBe(out);
});

test('conditions do not see variables', async () => {
  const variables = [{ name: 'a', expression: 'true' }];
  const matchConditions = [{ name: 'c', expression: 'variables.a' }];
  expect(await causeOf({ variables, matchConditions, validations: [{ expression: 'true' }] })).toContain(
    "undeclared reference to 'variables'",
  );
});

test('conditions leave requests out', async () => {
  const refuses = { validations: [{ expression: 'false' }] };
  const when = (expression: string, more = {}) =>
    causeOf({ ...refuses, matchConditions: [{ name: 'c', expression }], ...more });
  expect(await when("request.userInfo.username == 'joe'")).toBeUndefined();
  expect(await when("request.userInfo.username == 'jane'")).toBe('failed expression: false');
  expect(await when('object.nothing')).toMatch(/^compilation error: must evaluate to bool/);
  expect(await when('object.nothing == 1')).toBe(
    "expression 'object.nothing == 1' resulted in error: no such key: nothing",
  );
  expect(await when('object.nothing == 1', { failurePolicy: 'Ignore' })).toBeUndefined();
});

test('bindings narrow down what a policy means', async () => {
  const refuses = { validations: [{ expression: 'false' }] };
  const bound = (matchResources: object) =>
    causeOf(refuses, {}, {}, { matchResources: { ...selectsAll, ...matchResources } });
  const selectsAll = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  expect(await bound({})).toBe('failed expression: false');
  expect(await bound({ namespaceSelector: { matchLabels: { env: 'prod' } } })).toBeUndefined();
  expect(await bound({ objectSelector: { matchLabels: { a: 'b' } } })).toBeUndefined();
  expect(await bound({ resourceRules: [{ ...PODS, resourceNames: ['b'] }] })).toBeUndefined();
  expect(await bound({ resourceRules: [{ ...PODS, resourceNames: ['a', 'b'] }] })).toBe('failed expression: false');
  expect(await bound({ excludeResourceRules: [{ ...PODS, resourceNames: ['a'] }] })).toBeUndefined();
  expect(await bound({ excludeResourceRules: [{ ...PODS, resourceNames: ['b'] }] })).toBe('failed expression: false');
});

test('no labels of a connection can be asked about, nor their absence', async () => {
  const refuses = { validations: [{ expression: 'false' }] };
  const connects = { ...PODS, resources: ['pods/exec'], operations: ['CONNECT'] };
  const connection = {
    operation: 'CONNECT',
    subresource: 'exec',
    object: { apiVersion: 'v1', kind: 'PodExecOptions' },
  };
  const selected = (objectSelector: object) => {
    const matchConstraints = { ...MATCH, resourceRules: [connects], objectSelector };
    return causeOf({ ...refuses, matchConstraints }, connection as Partial<Attributes>);
  };
  expect(await selected({})).toBe('failed expression: false');
  for (const operator of ['DoesNotExist', 'NotIn'])
    expect(
      await selected({ matchExpressions: [{ key: 'a', operator, ...(operator === 'NotIn' && { values: ['b'] }) }] }),
    ).toBeUndefined();
});

test('policies mean only what they say, and never what decides about requests', async () => {
  const { plugin, policy, bind } = rig();
  const rule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['CREATE'] };
  policy({
    matchConstraints: { ...MATCH, resourceRules: [rule], namespaceSelector: { matchLabels: { env: 'test' } } },
    validations: [{ expression: 'false' }],
  });
  bind();
  expect(plugin.handles(targetOf({}))).toBe(true);
  expect(plugin.handles(targetOf({ operation: 'UPDATE' }))).toBe(false);
  expect(plugin.handles(targetOf({ subresource: 'status' }))).toBe(false);
  const group = 'admissionregistration.k8s.io';
  for (const resource of ['validatingadmissionpolicies', 'validatingwebhookconfigurations'])
    expect(plugin.handles(targetOf({ group, resource, namespace: '' }))).toBe(false);
  policy({ matchConstraints: { ...MATCH, namespaceSelector: { matchLabels: { env: 'prod' } } } });
  expect(plugin.handles(targetOf({}))).toBe(false);
});

test.each([
  ['Ignore', undefined],
  ['Fail', 'failed to configure binding: not yet'],
])('parameters that do not come hold a request up for two seconds in all; with %s', async (failurePolicy, reported) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const find = async (_kind: ParamKind, _namespace: string, _name: string, until: number) => {
    vi.advanceTimersByTime(until - performance.now());
    throw timeout('not yet', 1);
  };
  const { plugin, policy, bind } = rig({ find });
  policy({ failurePolicy, paramKind: LIMIT, validations: [{ expression: 'params.max > 0' }] });
  for (const name of ['b', 'b2', 'b3']) bind({ paramRef: { name: 'x' } }, name);
  const began = performance.now();
  expect((await judged(plugin, { deadline: began + 30_000 })).cause).toBe(reported);
  expect(performance.now() - began).toBe(2_000);
});

test('whoever has just written one through this process is judged by it', () => {
  const { plugin, objects } = rig();
  const followed = objects.follow({ group: GROUP, resource: 'validatingadmissionpolicies' });
  expect(plugin.handles(targetOf({}))).toBe(false);
  Object.assign(followed, { isBehind: true });
  expect(plugin.handles(targetOf({}))).toBe(true);
  expect(
    plugin.handles(targetOf({ group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' })),
  ).toBe(false);
});

test('whoever has just labelled a namespace through this process is judged by its new labels', () => {
  const { plugin, objects, policy, bind } = rig();
  policy({ matchConstraints: { ...MATCH, namespaceSelector: { matchLabels: { env: 'prod' } } } });
  bind();
  expect(plugin.handles(targetOf({}))).toBe(false);
  Object.assign(objects.follow({ group: '', resource: 'namespaces' }), { isBehind: true });
  expect(plugin.handles(targetOf({}))).toBe(true);
  expect(plugin.handles(targetOf({ operation: 'DELETE' }))).toBe(false);
});

test('the server’s own affairs are not judged, whatever an administrator asks is', async () => {
  const { plugin, policy, bind } = rig();
  policy({ validations: [{ expression: 'false' }] });
  bind();
  expect((await judged(plugin, { isInternal: true, skipsWebhooks: true })).status).toBeUndefined();
  expect((await judged(plugin, { skipsWebhooks: true })).status).toBeDefined();
});

test('only the first denial is told, by the names of policies and bindings', async () => {
  const { plugin, policy, bind } = rig();
  policy({ validations: [{ expression: 'false' }, { expression: '1 == 2' }] }, 'z');
  policy({ validations: [{ expression: 'true' }, { expression: '1 == 3' }] }, 'a');
  bind({ policyName: 'z' }, 'bz');
  bind({ policyName: 'a' }, 'b2');
  bind({ policyName: 'a' }, 'b1');
  const { cause } = await judged(plugin);
  expect(cause).toBe("ValidatingAdmissionPolicy 'a' with binding 'b1' denied request: failed expression: 1 == 3");
});

test('bindings may warn and note instead', async () => {
  const { plugin, policy, bind, metrics } = rig();
  policy({ validations: [{ expression: 'true' }, { expression: 'false', message: '<no>' }] });
  bind({ validationActions: ['Warn', 'Audit'] });
  const { status, warnings, annotations } = await judged(plugin);
  expect(status).toBeUndefined();
  expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': <no>"]);
  expect(annotations).toEqual({
    'validation.policy.admission.k8s.io/validation_failure':
      '[{"message":"\\u003cno\\u003e","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Warn","Audit"]}]',
  });
  const name = 'apiserver_validating_admission_policy_check_total';
  const text = await metrics();
  for (const action of ['warn', 'audit'])
    expect(text).toContain(`${name}{policy="p",policy_binding="b",enforcement_action="${action}",state="active"} 1`);
  expect(text).toContain(
    'apiserver_validating_admission_policy_definition_total{state="active",enforcement_action="deny"} 1',
  );
});

test('values are noted for the audit log, each once', async () => {
  const { plugin, policy, bind } = rig({
    ...{ namespaced: false, limits: { '/x': { data: { v: 'x' } }, '/y': { data: { v: 'y' } } } },
  });
  const auditAnnotations = [
    { key: 'count', valueExpression: "'count: ' + string(object.spec.count)" },
    { key: 'none', valueExpression: 'null' },
    { key: 'blank', valueExpression: "'  '" },
    { key: 'long', valueExpression: `['${'x'.repeat(4000)}'].map(v, v + v + v)[0]` },
    { key: 'param', valueExpression: 'string(params.data.v)' },
  ];
  policy({ paramKind: LIMIT, auditAnnotations });
  bind({ paramRef: { name: 'x' } }, 'b1');
  bind({ paramRef: { name: 'y' } }, 'b2');
  const { annotations, status } = await judged(plugin);
  expect(status).toBeUndefined();
  const { 'p/long': long, ...others } = annotations;
  expect(others).toEqual({ 'p/count': 'count: 3', 'p/param': 'x, y' });
  expect(long).toHaveLength(10_240);
  const failing = { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.nothing)' }] };
  const why = "expression 'string(object.nothing)' resulted in error: no such key: nothing";
  expect(await causeOf(failing, {}, {}, { validationActions: ['Warn'] })).toBe(why);
  expect(await causeOf({ ...failing, failurePolicy: 'Ignore' })).toBeUndefined();
});

test('policies are told what to ask for by objects that bindings name', async () => {
  const limits = { 'default/three': { spec: { most: 3 } }, 'n/two': { spec: { most: 2 } } };
  const spec = { paramKind: LIMIT, validations: [{ expression: 'object.spec.count <= params.spec.most' }] };
  const bound = (paramRef: object | undefined, more = {}) =>
    causeOf({ ...spec, ...more }, {}, { limits }, { ...(paramRef && { paramRef }) });
  expect(await bound({ namespace: 'default', name: 'three' })).toBeUndefined();
  expect(await bound({ namespace: 'n', name: 'two' })).toBe('failed expression: object.spec.count <= params.spec.most');
  // Where nothing is said of it: in the namespace of the request.
  expect(await bound({ name: 'three' })).toBeUndefined();
  expect(await bound({ name: 'two' })).toBe('failed to configure binding: two not found');
  expect(await bound({ name: 'two' }, { failurePolicy: 'Ignore' })).toBeUndefined();
  const unbound = { validations: [{ expression: 'params == null' }] };
  expect(await bound(undefined, unbound)).toBeUndefined();
});

test('what follows from parameters that are not there is what a binding says', async () => {
  const spec = { paramKind: LIMIT, validations: [{ expression: 'false' }] };
  const bound = (paramRef: object, more = {}) => causeOf({ ...spec, ...more }, {}, {}, { paramRef });
  const missing = 'no params found for policy binding with `Deny` parameterNotFoundAction';
  for (const which of [{ name: 'x' }, { selector: { matchLabels: { a: 'b' } } }]) {
    expect(await bound({ ...which, parameterNotFoundAction: 'Allow' })).toBeUndefined();
    expect(await bound({ ...which, parameterNotFoundAction: 'Deny' })).toBe(`failed to configure binding: ${missing}`);
    expect(await bound({ ...which, parameterNotFoundAction: 'Deny' }, { failurePolicy: 'Ignore' })).toBeUndefined();
  }
  expect(await bound({ selector: {} })).toBe(`failed to configure binding: ${missing}`);
});

test('of several parameters each is judged by', async () => {
  const limit = (most: number, labels = {}) => ({ metadata: { labels }, spec: { most } });
  const limits = { 'default/a': limit(5), 'default/b': limit(2, { strict: 'yes' }), 'n/c': limit(1) };
  const spec = {
    paramKind: LIMIT,
    validations: [
      { expression: 'object.spec.count <= params.spec.most', messageExpression: "'most ' + string(params.spec.most)" },
    ],
    auditAnnotations: [{ key: 'most', valueExpression: 'string(params.spec.most)' }],
  };
  const { plugin, policy, bind } = rig({ limits });
  policy(spec);
  bind({ paramRef: { selector: {} } });
  const { cause, annotations } = await judged(plugin);
  expect(cause).toBe('most 2');
  expect(annotations).toEqual({ 'p/most': '5, 2' });
  const selecting = (selector: object) => causeOf(spec, {}, { limits }, { paramRef: { selector } });
  expect(await selecting({ matchExpressions: [{ key: 'strict', operator: 'DoesNotExist' }] })).toBeUndefined();
  expect(await selecting({ matchLabels: { strict: 'yes' } })).toBe('most 2');
  expect(await selecting({ matchExpressions: [{ key: 'a', operator: 'Nope' }] })).toContain(
    'failed to configure binding',
  );
});

test('where parameters lie follows from their kind', async () => {
  const spec = { paramKind: LIMIT, validations: [{ expression: 'params.spec.most == 1' }] };
  const node = { resource: 'nodes', kind: 'Node', namespace: '' };
  const nodes = { matchConstraints: { ...MATCH, resourceRules: [{ ...PODS, resources: ['nodes'] }] } };
  const limits = { '/x': { spec: { most: 1 } } };
  const ofCluster = { limits, namespaced: false };
  expect(await causeOf(spec, {}, ofCluster, { paramRef: { name: 'x' } })).toBeUndefined();
  expect(await causeOf({ ...spec, ...nodes }, node, ofCluster, { paramRef: { name: 'x' } })).toBeUndefined();
  expect(await causeOf(spec, {}, ofCluster, { paramRef: { name: 'x', namespace: 'n' } })).toBe(
    'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
  );
  expect(await causeOf({ ...spec, ...nodes }, node, { limits }, { paramRef: { name: 'x' } })).toContain(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
});

test('a kind of parameters that there is not is told of the policy, also where nothing binds it', async () => {
  const spec = { paramKind: LIMIT, validations: [{ expression: 'true' }] };
  const { plugin, policy, followed } = rig({ served: false });
  policy(spec);
  const reported =
    "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'";
  expect((await judged(plugin)).cause).toBe(reported);
  expect(followed.at(-1)).toEqual([LIMIT]);
  policy({ ...spec, failurePolicy: 'Ignore' });
  expect((await judged(plugin)).cause).toBeUndefined();
  policy({ validations: [] });
  expect(plugin.handles(targetOf({}))).toBe(false);
  expect(followed.at(-1)).toEqual([]);
});

test('selectors that are none are told of requests that rules mean', async () => {
  const objectSelector = { matchExpressions: [{ key: 'a', operator: 'Nope', values: [] }] };
  const spec = { matchConstraints: { ...MATCH, objectSelector }, validations: [{ expression: 'true' }] };
  expect(await causeOf(spec)).toContain('failed to configure policy: ');
  expect(await causeOf({ ...spec, failurePolicy: 'Ignore' })).toBeUndefined();
});

test.each(['policies', 'parameters'])(
  'others have their turn beside many %s, however short each one is',
  async (many) => {
    const short = 'size(range.map(x, x + 1)) > 0'.replace(
      'range',
      `[${Array.from({ length: 40 }, (_, i) => i).join()}]`,
    );
    const count = 1_000;
    const limits = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`default/l${i}`, { metadata: {}, spec: {} }]),
    );
    const { plugin, policy, bind } = rig({ limits });
    if (many === 'parameters') {
      policy({ paramKind: LIMIT, validations: [{ expression: short }] });
      bind({ paramRef: { selector: {} } });
    } else
      for (let i = 0; i < count; i++) {
        policy({ validations: [{ expression: short }] }, `p${i}`);
        bind({ policyName: `p${i}` }, `b${i}`);
      }
    // Programs are compiled first, in turns of their own.
    await judged(plugin);
    let isOver = false;
    let turns = 0;
    const took = performance.now();
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    expect((await judged(plugin)).status).toBeUndefined();
    isOver = true;
    const ms = performance.now() - took;
    await others;
    expect(turns).toBeGreaterThan(ms / 20);
  },
);

test('of failed validations that are audited the first is told', async () => {
  const { plugin, policy, bind } = rig();
  for (const name of ['p', 'q']) {
    policy({ validations: [{ expression: 'false', message: `${name} first` }, { expression: 'false' }] }, name);
    bind({ policyName: name, validationActions: ['Audit'] }, `of-${name}`);
  }
  const { annotations } = await judged(plugin);
  const [note] = Object.values(annotations);
  expect(JSON.parse(note ?? '')).toMatchObject([{ message: 'p first', policy: 'p', expressionIndex: 0 }]);
});

test('what is noted under one key is bounded, however many there are who note', async () => {
  const limits = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [
      `default/l${i}`,
      { metadata: {}, spec: { text: `${i}-${'x'.repeat(9_000)}` } },
    ]),
  );
  const { plugin, policy, bind } = rig({ limits });
  policy({
    paramKind: LIMIT,
    validations: [{ expression: 'true' }],
    auditAnnotations: [{ key: 'text', valueExpression: 'string(params.spec.text)' }],
  });
  bind({ paramRef: { selector: {} } });
  const reported = (await judged(plugin)).annotations['p/text'] ?? '';
  expect(reported.length).toBeLessThanOrEqual(64 << 10);
  expect(reported.split(', ')).toHaveLength(7);
});
