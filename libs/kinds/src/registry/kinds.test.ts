import { type ApiObject, type FieldError, namesOf } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import type { KindRules, ScaleRules } from '../rules/kind-rules.js';
import { through } from '../testing/through.js';
import { kindRules } from './registry.js';

const names = namesOf('orch');
const scheme = loadScheme(names);
const NOW = Date.parse('2026-01-02T00:00:00Z');

function definitionOf(group: string, version: string, plural: string) {
  const definition = scheme.resource(group, version, plural);
  if (!definition) throw new Error(`no ${plural}`);
  return definition;
}
const rulesOf = (group: string, version: string, plural: string): KindRules =>
  kindRules(definitionOf(group, version, plural), names);

function defaulted(group: string, version: string, plural: string, object: ApiObject): ApiObject {
  applyDefaults(definitionOf(group, version, plural).schema, object);
  rulesOf(group, version, plural).defaults(object);
  return object;
}
const fieldsOf = (errors: FieldError[]): string[] => errors.map(({ field }) => field);

describe('workloads', () => {
  it.each([
    [
      'apps',
      'deployments',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } } },
    ],
    [
      'apps',
      'daemonsets',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } },
    ],
    ['apps', 'statefulsets', { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } }],
    ['batch', 'jobs', { completions: 1, parallelism: 1, backoffLimit: 6 }],
  ])('%s %s get their conditional defaults', (group, plural, expected) => {
    const object = defaulted(group, 'v1', plural, { spec: { template: { spec: { containers: [{ image: 'a' }] } } } });
    expect(object.spec).toMatchObject({
      ...expected,
      template: { spec: { containers: [{ imagePullPolicy: 'Always' }] } },
    });
  });

  it('gives a stateful set a partition only where it says nothing of its strategy, or something of its rolling', () => {
    const strategyOf = (updateStrategy?: object) =>
      Object(defaulted('apps', 'v1', 'statefulsets', { spec: updateStrategy ? { updateStrategy } : {} }).spec)
        .updateStrategy;
    expect(strategyOf()).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
    expect(strategyOf({ type: 'RollingUpdate' })).toEqual({ type: 'RollingUpdate' });
    expect(strategyOf({ type: 'RollingUpdate', rollingUpdate: {} })).toMatchObject({ rollingUpdate: { partition: 0 } });
    expect(strategyOf({ type: 'OnDelete' })).toEqual({ type: 'OnDelete' });
  });

  it('leaves other strategies as they are', () => {
    expect(defaulted('apps', 'v1', 'deployments', { spec: { strategy: { type: 'Recreate' } } }).spec).toMatchObject({
      strategy: { type: 'Recreate' },
    });
    expect(Object(defaulted('batch', 'v1', 'jobs', { spec: { parallelism: 3 } }).spec).completions).toBeUndefined();
  });

  it('refuses another selector', () => {
    const old: ApiObject = { spec: { selector: { matchLabels: { a: '1' } } } };
    const object: ApiObject = { spec: { selector: { matchLabels: { a: '2' } } } };
    for (const plural of ['deployments', 'daemonsets', 'replicasets', 'statefulsets']) {
      expect(fieldsOf([...rulesOf('apps', 'v1', plural).validateUpdate(object, old)].flat())).toContain(
        plural === 'statefulsets' ? 'spec' : 'spec.selector',
      );
    }
  });

  it('reads and writes their scale', () => {
    const { scale } = rulesOf('apps', 'v1', 'deployments') as KindRules & { scale: ScaleRules };
    const object: ApiObject = {
      spec: { replicas: 2, selector: { matchLabels: { b: '2', a: '1' } } },
      status: { replicas: 1 },
    };
    expect(scale.read(object)).toEqual({ replicas: 2, statusReplicas: 1, selector: 'a=1,b=2' });
    scale.write(object, 5);
    expect(scale.read(object).replicas).toBe(5);
  });

  it.each(['0', '-1', 'x', undefined])(
    "counts the changes of a daemon set's template, from 1 where it says %s",
    (reported) => {
      const rules = rulesOf('apps', 'v1', 'daemonsets');
      const annotations: Record<string, string> = {};
      if (reported !== undefined) annotations['deprecated.daemonset.template.generation'] = reported;
      const old: ApiObject = { metadata: { annotations }, spec: { template: { metadata: { labels: { a: '1' } } } } };
      rules.prepareForCreate(old, through());
      const same = structuredClone(old);
      rules.prepareForUpdate(same, old, through());
      const changed: ApiObject = { ...structuredClone(old), spec: { template: {} } };
      rules.prepareForUpdate(changed, old, through());
      expect([old, same, changed].map(({ metadata }) => Object.values(metadata?.annotations ?? {}))).toEqual([
        ['1'],
        ['1'],
        ['2'],
      ]);
    },
  );
});

describe('Job', () => {
  const rules = rulesOf('batch', 'v1', 'jobs');

  it('selects its pods by its uid, and has their labels', () => {
    const object: ApiObject = { metadata: { name: 'j', uid: 'u' }, spec: { template: {} } };
    rules.prepareForCreate(object, through());
    expect(object.metadata?.labels).toMatchObject({ 'job-name': 'j', 'batch.orch.io/controller-uid': 'u' });
    expect(object.spec).toEqual({
      selector: { matchLabels: { 'batch.orch.io/controller-uid': 'u' } },
      template: {
        metadata: {
          labels: {
            'job-name': 'j',
            'batch.orch.io/job-name': 'j',
            'controller-uid': 'u',
            'batch.orch.io/controller-uid': 'u',
          },
        },
      },
    });
  });

  it('leaves a manual selector alone', () => {
    const object: ApiObject = { metadata: { name: 'j', uid: 'u' }, spec: { manualSelector: true, template: {} } };
    rules.prepareForCreate(object, through());
    expect(object.spec).toEqual({ manualSelector: true, template: {} });
  });

  it.each([
    [{ completions: 3 }, { succeeded: 1, startTime: '2026-01-01T23:59:00Z' }, '1/3', '60s'],
    [
      { parallelism: 2 },
      { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:05:32Z' },
      '0/1 of 2',
      '5m32s',
    ],
    [{}, {}, '0/1', ''],
  ])('%j %j', (spec, status, completions, duration) => {
    expect(rules.cells({ metadata: { name: 'j' }, spec, status }, NOW).slice(1, 3)).toEqual([completions, duration]);
  });
});

describe('HorizontalPodAutoscaler', () => {
  const rules = rulesOf('autoscaling', 'v2', 'horizontalpodautoscalers');
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

  it('aims at the CPU unless told otherwise, in both versions', () => {
    expect(defaulted('autoscaling', 'v2', 'horizontalpodautoscalers', { spec: {} }).spec).toEqual({
      minReplicas: 1,
      metrics: [cpu],
    });
    expect(defaulted('autoscaling', 'v1', 'horizontalpodautoscalers', { spec: {} }).spec).toEqual({
      minReplicas: 1,
      targetCPUUtilizationPercentage: 80,
    });
  });

  it.each([
    [[cpu], [{ type: 'Resource', resource: { current: { averageUtilization: 40 } } }], '40%/80%'],
    [[cpu], [], '<unknown>/80%'],
    [[{ type: 'External', external: { target: { averageValue: '10' } } }], [], '<unknown>/10 (avg)'],
    [
      [{ type: 'Pods', pods: { target: { averageValue: '1k' } } }, cpu, cpu],
      [],
      '<unknown>/1k, <unknown>/80% + 1 more...',
    ],
    [[], [], '<none>'],
  ])('%#: shows targets', (metrics, currentMetrics, text) => {
    expect(rules.cells({ spec: { metrics }, status: { currentMetrics } }, NOW)[2]).toBe(text);
  });
});

describe('CertificateSigningRequest', () => {
  const rules = rulesOf('certificates.orch.io', 'v1', 'certificatesigningrequests');
  const approved = { type: 'Approved', status: 'True' };
  const failed = { type: 'Failed', status: 'True' };

  it('is decided through approval alone', () => {
    const old: ApiObject = { spec: { request: 'a' }, status: { certificate: 'c', conditions: [failed] } };
    const object: ApiObject = { spec: { request: 'b' }, status: { certificate: 'd', conditions: [approved] } };
    rules.prepareForUpdate(object, old, through('approval'));
    expect(object).toMatchObject({
      spec: { request: 'a' },
      status: { certificate: 'c', conditions: [approved] },
    });
    const sly: ApiObject = { spec: { request: 'a' }, status: { certificate: 'd', conditions: [approved, failed] } };
    rules.prepareForUpdate(sly, old, through('status'));
    expect([...rules.validateUpdate(sly, old, 'status')].flat()).toContainEqual({
      field: 'status.conditions',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: updates may not add a condition of type "Approved"',
    });
  });

  it.each([
    [{}, 'Pending'],
    [{ conditions: [approved], certificate: 'c' }, 'Approved,Issued'],
    [{ conditions: [approved, failed] }, 'Approved,Failed'],
    [{ conditions: [{ type: 'Denied' }] }, 'Denied'],
  ])('%j is %s', (status, text) => {
    expect(rules.cells({ status }, NOW).at(-1)).toBe(text);
  });
});

describe('role bindings', () => {
  const rules = rulesOf('rbac.authorization.orch.io', 'v1', 'rolebindings');

  it('name the group of roles and of users', () => {
    const object = defaulted('rbac.authorization.orch.io', 'v1', 'rolebindings', {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    });
    expect(object).toEqual({
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'r' },
      subjects: [
        { apiGroup: 'rbac.authorization.orch.io', kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    });
    expect(rules.cells(object, NOW)).toEqual(['', 'Role/r', '<unknown>', 'u', '', 'n/s']);
  });

  it('keep their role', () => {
    expect(
      fieldsOf([...rules.validateUpdate({ roleRef: { name: 'b' } }, { roleRef: { name: 'a' } })].flat()),
    ).toContain('roleRef');
  });
});

it.each([
  [{}, ['Ingress']],
  [{ egress: [{}] }, ['Ingress', 'Egress']],
  [{ egress: [{}], policyTypes: ['Egress'] }, ['Egress']],
])('network policy %j is of type %j', (spec, types) => {
  expect(defaulted('networking.orch.io', 'v1', 'networkpolicies', { spec }).spec).toMatchObject({ policyTypes: types });
});

it('remembers the version in which custom objects are stored', () => {
  const rules = rulesOf('apiextensions.orch.io', 'v1', 'customresourcedefinitions');
  const at = (version: string): ApiObject => ({ spec: { versions: [{ name: version, storage: true }] } });
  const old = at('v1');
  rules.prepareForCreate(old, through());
  const next = at('v2');
  rules.prepareForUpdate(next, old, through());
  expect([old, next].map(({ status }) => Object(status).storedVersions)).toEqual([['v1'], ['v1', 'v2']]);
});

it('has no rules for a kind that declares none', () => {
  const definition = { ...definitionOf('apps', 'v1', 'deployments'), group: 'example.com', kind: 'Widget' };
  expect(() => kindRules(definition, names)).toThrow('Widget of group "example.com" is not declared');
});

describe('as the release has it', () => {
  it.each([
    ['node.orch.io', 'v1', 'runtimeclasses', { createOnUpdate: true, unconditionalUpdate: false }],
    ['scheduling.orch.io', 'v1', 'priorityclasses', { createOnUpdate: false, unconditionalUpdate: true }],
    ['flowcontrol.apiserver.orch.io', 'v1beta3', 'flowschemas', { unconditionalUpdate: true }],
    ['flowcontrol.apiserver.orch.io', 'v1beta2', 'prioritylevelconfigurations', { unconditionalUpdate: true }],
  ])('a PUT of %s/%s %s is %j', (group, version, plural, expected) => {
    expect(rulesOf(group, version, plural)).toMatchObject(expected);
  });

  it.each([
    ['scheduling.orch.io', 'v1', 'priorityclasses', { description: 'd' }, [1, 1]],
    ['resource.orch.io', 'v1alpha2', 'resourceclasses', { driverName: 'd' }, [undefined, undefined]],
    ['storage.orch.io', 'v1', 'csidrivers', { spec: { requiresRepublish: true } }, [undefined, 1]],
    ['storage.orch.io', 'v1', 'csidrivers', { spec: { storageCapacity: true } }, [undefined, undefined]],
    ['discovery.orch.io', 'v1', 'endpointslices', { endpoints: [{ addresses: ['10.0.0.1'] }] }, [1, 2]],
    ['discovery.orch.io', 'v1', 'endpointslices', { metadata: { labels: { a: 'b' } } }, [1, 2]],
    ['discovery.orch.io', 'v1', 'endpointslices', { metadata: { annotations: { a: 'b' } } }, [1, 1]],
    ['apps', 'v1', 'deployments', { metadata: { annotations: { a: 'b' } } }, [1, 2]],
    ['apps', 'v1', 'deployments', { metadata: { labels: { a: 'b' } } }, [1, 1]],
    ['apps', 'v1', 'statefulsets', { metadata: { annotations: { a: 'b' } } }, [1, 1]],
  ])('the generation of %s/%s %s, after %j', (group, version, plural, change, generations) => {
    const rules = rulesOf(group, version, plural);
    const old: ApiObject = { metadata: { generation: 7 } };
    rules.prepareForCreate(old, through());
    const object: ApiObject = structuredClone(change);
    rules.prepareForUpdate(object, old, through());
    expect([old, object].map(({ metadata }) => metadata?.generation)).toEqual(generations);
  });

  it('the generation of a Deployment stays when its status is written, with annotations too', () => {
    const rules = rulesOf('apps', 'v1', 'deployments');
    const object: ApiObject = { metadata: { annotations: { a: 'b' } } };
    rules.prepareForUpdate(object, { metadata: { generation: 7 } }, through('status'));
    expect(object.metadata?.generation).toBe(7);
  });

  it.each([
    ['is emptied', {}, {}],
    ['is nothing else', { conditions: [{ type: 'B' }] }, { conditions: [{ type: 'A' }] }],
  ])('the status of a NetworkPolicy that is there %s', (_what, sent, found) => {
    const rules = rulesOf('networking.orch.io', 'v1', 'networkpolicies');
    const old: ApiObject = { metadata: {}, spec: { podSelector: {} }, status: { conditions: [{ type: 'A' }] } };
    const object: ApiObject = { metadata: {}, spec: {}, status: sent };
    rules.prepareForUpdate(object, old, through('status'));
    expect(object).toMatchObject({ spec: { podSelector: {} } });
    expect(object.status).toEqual(found);
  });

  it.each([
    ['admissionregistration.orch.io', 'v1alpha1', 'validatingadmissionpolicies'],
    ['apiregistration.orch.io', 'v1', 'apiservices'],
    ['flowcontrol.apiserver.orch.io', 'v1beta3', 'flowschemas'],
    ['flowcontrol.apiserver.orch.io', 'v1beta2', 'prioritylevelconfigurations'],
    ['internal.apiserver.orch.io', 'v1alpha1', 'storageversions'],
    ['storage.orch.io', 'v1', 'volumeattachments'],
  ])('the status of %s/%s %s is written without metadata', (group, version, plural) => {
    const rules = rulesOf(group, version, plural);
    const metadata = { name: 'a', labels: { a: 'b' }, finalizers: ['a/b'] };
    const object: ApiObject = {
      metadata: { name: 'a', labels: { c: 'd' }, annotations: { e: 'f' }, ownerReferences: [] },
      spec: 'changed',
      status: { conditions: [] },
    };
    rules.prepareForUpdate(object, { metadata, spec: 'kept' }, through('status'));
    expect(object).toEqual({ metadata, spec: 'kept', status: { conditions: [] } });
    expect(rules.resetFields('status')).toEqual([['metadata'], ['spec']]);
  });

  it('the secrets of a service account are kept by their names', () => {
    const rules = rulesOf('', 'v1', 'serviceaccounts');
    const sent = () => ({ secrets: [{ name: 'a', namespace: 'other', uid: 'u' }, { kind: 'Secret' }] });
    const made: ApiObject = sent();
    const updated: ApiObject = sent();
    rules.prepareForCreate(made, through());
    rules.prepareForUpdate(updated, {}, through());
    for (const { secrets } of [made, updated]) expect(secrets).toEqual([{ name: 'a' }, {}]);
  });
});

it.each([
  ['', 'v1', 'services', 'dns1035'],
  ['', 'v1', 'namespaces', 'label'],
  ['', 'v1', 'pods', 'subdomain'],
  ['rbac.authorization.orch.io', 'v1', 'clusterroles', 'pathSegment'],
])('%s/%s %s are named by the rule %s', (group, version, plural, rule) => {
  expect(rulesOf(group, version, plural).nameRule).toBe(rule);
});

describe('fields that a write leaves as they were', () => {
  it.each([
    ['apps', 'v1', 'replicasets', '', [['status']]],
    ['apps', 'v1', 'replicasets', 'status', [['spec']]],
    ['apps', 'v1', 'deployments', 'status', [['spec'], ['metadata', 'labels']]],
    ['networking.orch.io', 'v1', 'networkpolicies', '', [['status']]],
    ['', 'v1', 'namespaces', 'finalize', [['status']]],
    ['', 'v1', 'pods', 'status', [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']]],
    ['', 'v1', 'configmaps', '', []],
    ['certificates.orch.io', 'v1', 'certificatesigningrequests', 'approval', [['spec'], ['status', 'certificate']]],
    ['flowcontrol.apiserver.orch.io', 'v1beta3', 'flowschemas', 'status', [['metadata'], ['spec']]],
  ])('of %s/%s %s through "%s"', (group, version, plural, subresource, expected) => {
    expect(rulesOf(group, version, plural).resetFields(subresource)).toEqual(expected);
  });

  it.each([
    ['apps', 'deployments', 'scale', 'replicas', 'selector'],
    ['', 'replicationcontrollers', 'scale', 'replicas', 'template'],
    ['', 'pods', 'ephemeralcontainers', 'ephemeralContainers', 'containers'],
  ])('of %s %s through "%s": all but %s', (group, plural, subresource, written, other) => {
    const reset = rulesOf(group, 'v1', plural).resetFields(subresource);
    for (const path of [['metadata'], ['status'], ['spec', other]]) expect(reset).toContainEqual(path);
    for (const path of [['spec'], ['spec', written]]) expect(reset).not.toContainEqual(path);
  });
});
