import type { FieldError } from '@orch/machinery';
import type { ValidatingAdmissionPolicyBinding } from '@orch/schema/types/admissionregistration/v1beta1';
import { describe, expect, it } from 'vitest';
import { STANDARD_SETTINGS } from '../rules/settings.js';
import { type Changes, triedKind } from '../testing/refusals.js';
import { withFeatures } from '../testing/settings.js';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy.js';

const GROUP = 'admissionregistration.k8s.io';
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const webhook = {
  name: 'a.example.com',
  clientConfig: { service: { namespace: 'n', name: 's' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [rule],
};
const mutating = triedKind(GROUP, 'v1', 'mutatingwebhookconfigurations', { webhooks: [webhook] });
const validating = triedKind(GROUP, 'v1', 'validatingwebhookconfigurations', { webhooks: [webhook] });

describe('webhooks', () => {
  it.each<Changes>([
    {},
    { webhooks: undefined },
    { 'webhooks.0.clientConfig': { url: 'https://example.com:8443/path' } },
    { 'webhooks.0.admissionReviewVersions': ['v2', 'v1beta1'], 'webhooks.0.timeoutSeconds': 30 },
    { 'webhooks.0.rules.0': { ...rule, operations: ['*'], resources: ['*', '*/status'], scope: 'Namespaced' } },
    { webhooks: [webhook, { ...webhook, name: 'b.example.com' }] },
    { 'webhooks.0.objectSelector': { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
    // An alpha feature that is off: dropped.
    { 'webhooks.0.matchConditions': [{}] },
  ])('may be %j', (changes) => {
    expect(mutating.created(changes)).toEqual([]);
    expect(validating.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { webhooks: [{}] },
      [
        'webhooks[0].name: Required value',
        'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
        'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
        'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      ],
    ],
    [
      { 'webhooks.0.name': 'a.b', 'webhooks.0.sideEffects': 'Some', 'webhooks.0.timeoutSeconds': 31 },
      [
        'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
        'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
        'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
      ],
    ],
    [
      { 'webhooks.0.failurePolicy': 'No', 'webhooks.0.matchPolicy': 'No' },
      [
        'webhooks[0].failurePolicy: Unsupported value: "No": supported values: "Fail", "Ignore"',
        'webhooks[0].matchPolicy: Unsupported value: "No": supported values: "Equivalent", "Exact"',
      ],
    ],
    [
      { 'webhooks.0.admissionReviewVersions': ['v2', 'v2', 'V3'] },
      [
        'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
        expect.stringMatching(/^webhooks\[0\]\.admissionReviewVersions\[2\]: Invalid value: "V3": a DNS-1035/) as never,
        'webhooks[0].admissionReviewVersions: Invalid value: []string{"v2", "v2", "V3"}: must include at least one of v1, v1beta1',
      ],
    ],
    [{ webhooks: [webhook, webhook] }, ['webhooks[1].name: Duplicate value: "a.example.com"']],
    [
      { 'webhooks.0.rules': [{}] },
      ['operations', 'apiGroups', 'apiVersions', 'resources'].map(
        (name) => `webhooks[0].rules[0].${name}: Required value`,
      ),
    ],
    [
      {
        'webhooks.0.rules': [
          {
            operations: ['*', 'READ'],
            apiGroups: ['*', ''],
            apiVersions: ['*', ''],
            resources: ['', '*', '*/*', 'pods/*', 'pods/status', '*/scale', 'deployments/scale', 'nodes'],
            scope: 'Here',
          },
        ],
      },
      [
        'operations: Invalid value: []admissionregistration.OperationType{"*", "READ"}: if \'*\' is present, must not specify other operations',
        'operations[1]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        'apiGroups: Invalid value: []string{"*", ""}: if \'*\' is present, must not specify other API groups',
        'apiVersions: Invalid value: []string{"*", ""}: if \'*\' is present, must not specify other API versions',
        'apiVersions[1]: Required value',
        'resources[0]: Required value',
        'resources[3]: Invalid value: "pods/*": if \'*/*\' is present, must not specify pods/*',
        'resources[4]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
        'resources[5]: Invalid value: "*/scale": if \'*/*\' is present, must not specify */scale',
        'resources[6]: Invalid value: "deployments/scale": if \'*/scale\' is present, must not specify deployments/scale',
        'resources: Invalid value: []string{"", "*", "*/*", "pods/*", "pods/status", "*/scale", "deployments/scale", "nodes"}: if \'*/*\' is present, must not specify other resources',
        'resources: Invalid value: []string{"", "*", "*/*", "pods/*", "pods/status", "*/scale", "deployments/scale", "nodes"}: if \'*\' is present, must not specify other resources without subresources',
        'scope: Unsupported value: "Here": supported values: "*", "Cluster", "Namespaced"',
      ].map((text) => `webhooks[0].rules[0].${text}`),
    ],
    [
      { 'webhooks.0.clientConfig': { url: 'http://u:p@/?a#b' } },
      [
        'Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
        'Invalid value: "": host must be specified; desired format: https://host[/path]',
        'Invalid value: "<user>": user information is not permitted in the URL',
        'Invalid value: "b": fragments are not permitted in the URL',
        'Invalid value: "a": query parameters are not permitted in the URL',
      ].map((text) => `webhooks[0].clientConfig.url: ${text}`),
    ],
    [
      { 'webhooks.0.clientConfig': { url: 'https://a:x/' } },
      [
        'webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "https://a:x/": invalid port ":x" after host; desired format: https://host[/path]',
      ],
    ],
    [
      { 'webhooks.0.clientConfig': { service: { path: '/a//B', port: 70000 } } },
      [
        'webhooks[0].clientConfig.service.name: Required value: service name is required',
        'webhooks[0].clientConfig.service.namespace: Required value: service namespace is required',
        'webhooks[0].clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
        'webhooks[0].clientConfig.service.path: Invalid value: "/a//B": segment[1] may not be empty',
        expect.stringMatching(
          /^webhooks\[0\]\.clientConfig\.service\.path: Invalid value: "\/a\/\/B": segment\[2\]: a lowercase/,
        ) as never,
      ],
    ],
    [
      { 'webhooks.0.namespaceSelector': { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        "webhooks[0].namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(validating.created(changes)).toEqual(expected);
    expect(mutating.created(changes)).toEqual(expected);
  });

  it('may mutate again only in ways that are known', () => {
    expect(mutating.created({ 'webhooks.0.reinvocationPolicy': 'Often' })).toEqual([
      'webhooks[0].reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
    ]);
  });

  it('that were stored under laxer rules may stay as they were', () => {
    const lax = { 'webhooks.0.sideEffects': 'Unknown', 'webhooks.0.admissionReviewVersions': ['v9'] };
    expect(validating.updated(lax, { 'webhooks.0.timeoutSeconds': 5 })).toEqual([]);
    expect(validating.updated({}, lax)).toHaveLength(2);
    expect(validating.updated({ webhooks: [webhook, webhook] }, { 'webhooks.0.timeoutSeconds': 5 })).toEqual([]);
  });
});

const POLICY = { spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] } };
const policy = triedKind(GROUP, 'v1alpha1', 'validatingadmissionpolicies', POLICY);
const binding = triedKind(GROUP, 'v1alpha1', 'validatingadmissionpolicybindings', {
  spec: { policyName: 'a', validationActions: ['Deny'] },
});

describe('policies', () => {
  it.each<Changes>([
    {},
    { 'spec.paramKind': { apiVersion: 'example.com/v1', kind: 'Limit' } },
    { 'spec.validations': undefined, 'spec.auditAnnotations': [{ key: 'k', valueExpression: "'a'" }] },
    { 'spec.matchConditions': [{ name: 'a', expression: 'true' }] },
    { 'spec.validations.0': { expression: 'true', message: 'no', reason: 'Forbidden' } },
  ])('may be %j', (changes) => {
    expect(policy.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { spec: {} },
      [
        'spec.matchConstraints: Required value',
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    ],
    [
      {
        'spec.failurePolicy': 'No',
        'spec.matchConstraints.resourceRules': [],
        'spec.paramKind': { apiVersion: 'a/b/c' },
      },
      [
        'spec.failurePolicy: Unsupported value: "No": supported values: "Fail", "Ignore"',
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        'spec.paramKind.kind: Required value',
        'spec.matchConstraints.resourceRules: Required value',
      ],
    ],
    [
      {
        'spec.matchConstraints.resourceRules': [{ ...rule, resourceNames: ['a', 'a', 'b/c'] }],
        'spec.matchConditions': [
          { expression: ' ' },
          { name: 'a', expression: 'true' },
          { name: 'a', expression: '1' },
        ],
      },
      [
        'spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain \'/\'',
        'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
        'spec.matchConditions[0].expression: Required value',
        'spec.matchConditions[0].name: Required value',
        'spec.matchConditions[2].expression: Invalid value: "1": must evaluate to bool',
        'spec.matchConditions[2].name: Duplicate value: "a"',
      ],
    ],
    [
      {
        'spec.validations': [
          { message: ' ', messageExpression: ' ', reason: 'No' },
          { expression: 'true', message: 'a\nb' },
        ],
        'spec.auditAnnotations': [{ key: 'k' }, { key: 'k', valueExpression: 'x'.repeat(5121) }],
      },
      [
        'spec.validations[0].expression: Required value: expression is not specified',
        'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].message: Invalid value: " ": message must be non-empty if specified',
        'spec.validations[0].reason: Unsupported value: "No": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
        'spec.validations[1].message: Invalid value: "a\\nb": message must not contain line breaks',
        'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
        'spec.auditAnnotations[1].valueExpression: Required value: must not exceed 5120 bytes in length',
        'spec.auditAnnotations[1].key: Duplicate value: "k"',
      ],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(policy.created(changes)).toEqual(expected);
  });

  it('keep expressions short enough to be compiled in one go', () => {
    const conditions = (expression: string) => policy.created({ 'spec.matchConditions': [{ name: 'a', expression }] });
    expect(conditions(`${' '.repeat(8_188)}true`)).toEqual([]);
    expect(conditions(`${' '.repeat(8_189)}true`)).toEqual([
      'spec.matchConditions[0].expression: Too long: must have at most 8192 bytes',
    ]);
  });

  it.each<[Changes, string]>([
    [
      { 'spec.validations.0': { expression: 'object.spec' } },
      'validations[0].expression: Invalid value: "object.spec": must evaluate to bool',
    ],
    [
      { 'spec.validations.0': { expression: 'params.a == 1' } },
      "validations[0].expression: Invalid value: \"params.a == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.a == 1\n | ^",
    ],
    [
      { 'spec.validations.0': { expression: 'true', messageExpression: '1' } },
      'validations[0].messageExpression: Invalid value: "1": must evaluate to string',
    ],
    [
      {
        'spec.validations.0': {
          expression: 'true',
          messageExpression: 'string(authorizer.path("/").check("get").allowed())',
        },
      },
      expect.stringContaining("undeclared reference to 'authorizer'") as never,
    ],
    [
      { 'spec.auditAnnotations': [{ key: 'k', valueExpression: '1' }] },
      'auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type]',
    ],
  ])('may not have expressions that are %j', (changes, expected) => {
    const [error, ...others] = policy.created(changes);
    expect(others).toEqual([]);
    expect(error?.replace(/^spec\./, '')).toEqual(expected);
  });

  it('have expressions that are not too long', () => {
    const expression = `"${'x'.repeat(8_192)}" != ""`;
    expect(policy.created({ 'spec.validations.0': { expression } })).toEqual([
      'spec.validations[0].expression: Too long: must have at most 8192 bytes',
    ]);
  });

  it('have expressions that may name what there is', () => {
    const params = { 'spec.paramKind': { apiVersion: 'v1', kind: 'ConfigMap' } };
    const validation = {
      expression: 'object.data == params.data && request.name != "" && authorizer.path("/").check("get").allowed()',
      messageExpression: '"not " + string(params.data) + request.operation',
    };
    const auditAnnotations = [
      { key: 'k', valueExpression: 'null' },
      { key: 'l', valueExpression: 'string(params.a)' },
    ];
    expect(
      policy.created({ ...params, 'spec.validations.0': validation, 'spec.auditAnnotations': auditAnnotations }),
    ).toEqual([]);
  });

  it('may use what came later where that is on, or they did before', () => {
    const made = (on: boolean) =>
      triedKind(GROUP, 'v1alpha1', 'validatingadmissionpolicies', POLICY, withFeatures({ LaterExpressions: on }));
    const later = { 'spec.validations.0': { expression: 'isQuantity("1") && namespaceObject != null' } };
    expect(made(true).created(later)).toEqual([]);
    expect(made(false).created(later)).toHaveLength(1);
    expect(made(false).updated(later, { 'spec.failurePolicy': 'Ignore' })).toEqual([]);
  });

  it('may have variables, which those behind them know by their types', () => {
    const variables = [
      { name: 'names', expression: 'object.spec.containers.map(c, string(c.name))' },
      { name: 'count', expression: 'size(variables.names)' },
      { name: 'may', expression: 'authorizer.path("/").check("get").allowed()' },
    ];
    const validation = {
      expression: 'variables.count < 3 && variables.may && variables.names.all(n, n.size() < 9)',
      messageExpression: '"names: " + variables.names.join(",")',
    };
    const auditAnnotations = [{ key: 'k', valueExpression: 'string(variables.count)' }];
    const having = (changes: Changes) =>
      policy.created({ 'spec.variables': variables, 'spec.validations.0': validation, ...changes });
    expect(having({ 'spec.auditAnnotations': auditAnnotations })).toEqual([]);
    expect(having({ 'spec.validations.0': { expression: 'variables.count == "a"' } })[0]).toContain(
      "found no matching overload for '_==_' applied to '(int, string)'",
    );
    expect(having({ 'spec.validations.0': { expression: 'variables.other' } })[0]).toContain("undefined field 'other'");
    expect(having({ 'spec.variables': variables.slice(1) })).toHaveLength(3);
    expect(having({ 'spec.matchConditions': [{ name: 'a', expression: 'variables.may' }] })[0]).toContain(
      'spec.matchConditions[0].expression: Invalid value: "variables.may": compilation failed: ERROR: <input>:1:1: undeclared reference to \'variables\'',
    );
  });

  it('have variables with names and expressions', () => {
    const variables = [
      { expression: 'true' },
      { name: 'a' },
      { name: 'a-b', expression: 'true' },
      { name: 'in', expression: 'nothing' },
      { name: 'a', expression: 'variables.b' },
    ];
    const at = (path: string) => `spec.variables[${path}`;
    expect(policy.created({ 'spec.variables': variables })).toEqual([
      at('0].name: Required value: name is not specified'),
      at('1].expression: Required value: expression is not specified'),
      at('2].name: Invalid value: "a-b": name is not a valid CEL identifier'),
      at('3].name: Invalid value: "in": name is not a valid CEL identifier'),
      expect.stringContaining("undeclared reference to 'nothing'"),
      expect.stringContaining("undefined field 'b'"),
      at('4].name: Duplicate value: "a"'),
    ]);
  });

  it('lose variables where these are off, unless they had some before', () => {
    const variables = [{ name: 'a', expression: 'true' }];
    const validations = [{ expression: 'variables.a' }];
    const features = withFeatures({ LaterExpressions: false });
    const off = triedKind(GROUP, 'v1alpha1', 'validatingadmissionpolicies', POLICY, features);
    const changes = { 'spec.variables': variables, 'spec.validations': validations };
    expect(off.created(changes)[0]).toContain("undeclared reference to 'variables'");
    expect(off.stored({ 'spec.variables': variables }).spec).not.toHaveProperty('variables');
    const old = policy.stored(changes);
    expect(off.refusedOf(off.rewritten(old, { 'spec.failurePolicy': 'Ignore' }), old)).toEqual([]);
  });

  it('report conditions of the common form', () => {
    const condition = { type: 'a', status: 'True', reason: 'R', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const report = (...conditions: unknown[]) => policy.updated({}, { status: { conditions } }, 'status');
    expect(report(condition)).toEqual([]);
    expect(report(condition, condition, { type: 'b', status: 'Yes', observedGeneration: -1, reason: '1' })).toEqual([
      'status.conditions[1].type: Duplicate value: "a"',
      'status.conditions[2].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
      'status.conditions[2].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'status.conditions[2].lastTransitionTime: Required value: must be set',
      expect.stringMatching(/^status\.conditions\[2\]\.reason: Invalid value: "1": a condition reason must/),
    ]);
  });

  it('are bound to what they may do', () => {
    expect(binding.created()).toEqual([]);
    expect(binding.created({ 'spec.matchResources': {}, 'spec.paramRef': { name: 'p' } })).toEqual([]);
    expect(binding.created({ spec: { paramRef: { name: 'a/b' }, matchResources: { matchPolicy: 'No' } } })).toEqual([
      'spec.policyName: Required value',
      'spec.paramRef.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.matchResouces.matchPolicy: Unsupported value: "No": supported values: "Equivalent", "Exact"',
      'spec.validationActions: Required value: at least one validation action is required',
    ]);
    expect(binding.created({ 'spec.validationActions': ['Deny', 'Warn', 'Deny', 'Hide'] })).toEqual([
      'spec.validationActions[3]: Unsupported value: "Hide": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[2]: Duplicate value: "Deny"',
      'spec.validationActions: Invalid value: []admissionregistration.ValidationAction{"Deny", "Warn", "Deny", "Hide"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ]);
  });
});

describe('bindings', () => {
  const spec = { policyName: 'a', validationActions: ['Deny'] };
  const selector = { matchLabels: { a: 'b' } };
  const later = ['v1beta1', 'v1'].map((version) =>
    triedKind(GROUP, version, 'validatingadmissionpolicybindings', { spec }),
  );

  it('name parameters by name or by labels', () => {
    for (const kind of [binding, ...later]) {
      const refused = (ref: object) => kind.created({ 'spec.paramRef': { parameterNotFoundAction: 'Allow', ...ref } });
      expect(refused({ name: 'a', namespace: 'n' })).toEqual([]);
      expect(refused({ selector: {} })).toEqual([]);
      expect(refused({ name: 'a', selector })).toEqual([
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      ]);
      expect(refused({ selector: { matchLabels: { '-': '' } } })).toHaveLength(1);
      expect(refused({ name: 'a', parameterNotFoundAction: 'Wait' })).toEqual([
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Wait": supported values: "Allow", "Deny"',
      ]);
    }
  });

  it('say in later versions what follows where there are none', () => {
    expect(binding.created({ 'spec.paramRef': {} })).toEqual([]);
    const bound = (paramRef?: object) =>
      ({ spec: { ...spec, ...(paramRef && { paramRef }) } }) as ValidatingAdmissionPolicyBinding;
    const reported = (errors: readonly FieldError[]) => errors.map(({ field, message }) => `${field}: ${message}`);
    for (const version of ['v1beta1', 'v1']) {
      const { validateServed, validateServedUpdate } = validatingAdmissionPolicyBinding(STANDARD_SETTINGS, version);
      const created = (paramRef?: object) => reported(validateServed?.(bound(paramRef)) ?? []);
      const updated = (to: object, from?: object) => reported(validateServedUpdate?.(bound(to), bound(from)) ?? []);
      const missing = 'spec.paramRef.parameterNotFoundAction: Required value';
      expect(created({})).toEqual([
        'spec.paramRef: Required value: one of name or selector must be specified',
        missing,
      ]);
      expect(updated({ name: 'a' })).toEqual([missing]);
      expect(updated({ name: 'a' }, { name: 'a' })).toEqual([missing]);
      for (const laxer of [{}, { name: 'a' }]) {
        expect(updated({ ...laxer, parameterNotFoundAction: 'Deny' }, laxer)).toEqual([]);
        expect(updated({ ...laxer, namespace: 'n' }, laxer)).toContain(missing);
      }
      expect(created({ selector: {}, parameterNotFoundAction: 'Deny' })).toEqual([]);
      expect(created()).toEqual([]);
    }
  });

  it('lose what came later where that is off', () => {
    const features = withFeatures({ LaterExpressions: false });
    const off = triedKind(GROUP, 'v1alpha1', 'validatingadmissionpolicybindings', { spec }, features);
    const ref = { name: 'a', selector, parameterNotFoundAction: 'Deny' };
    expect(off.stored({ 'spec.paramRef': ref }).spec).toEqual({ ...spec, paramRef: { name: 'a' } });
  });
});
