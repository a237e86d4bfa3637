import { type ApiObject, namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { shown } from './amounts.js';
import { Evaluators } from './evaluator.js';

const evaluators = new Evaluators(namesOf('kubernetes'));

function usage(resource: string, object: object, group = ''): Record<string, string> {
  const used = evaluators.of({ group, resource })?.usage(object as ApiObject) ?? new Map();
  return Object.fromEntries([...used].map(([name, amount]) => [name, shown(amount, false)]));
}

const container = (name: string, requests?: object, limits?: object) => ({ name, resources: { requests, limits } });

describe('a pod', () => {
  it('uses what its containers ask for beside each other, or one that prepares for them, and what it takes to run it', () => {
    const spec = {
      containers: [
        container('a', { cpu: '100m', memory: '1Gi', 'hugepages-2Mi': '4Mi' }, { cpu: '1' }),
        container('b', { cpu: '0.2', 'example.com/gpu': '2', 'kubernetes.io/own': '1' }),
      ],
      initContainers: [container('i', { cpu: '250m', memory: '2Gi' }, { memory: '3Gi' })],
      overhead: { cpu: '50m', memory: '1' },
    };
    expect(usage('pods', { spec })).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '350m',
      'requests.cpu': '350m',
      memory: String(2 ** 31 + 1),
      'requests.memory': String(2 ** 31 + 1),
      'limits.cpu': '1050m',
      'limits.memory': String(3 * 2 ** 30 + 1),
      'hugepages-2Mi': String(4 * 2 ** 20),
      'requests.hugepages-2Mi': String(4 * 2 ** 20),
      'requests.example.com/gpu': '2',
    });
  });

  it('that has ended is one, and nothing more; one on its way out is as before', () => {
    const spec = { containers: [container('a', { cpu: '1' })] };
    expect(usage('pods', { spec, status: { phase: 'Succeeded' } })).toEqual({ 'count/pods': '1' });
    const metadata = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
    expect(usage('pods', { spec, metadata })).toEqual(usage('pods', { spec }));
  });

  it('has to say what is limited, container for container', () => {
    const spec = {
      containers: [container('b', { cpu: '1' }), container('a', {}, { cpu: '1' })],
      initContainers: [container('c')],
    };
    const missing = (...limited: string[]) =>
      evaluators.of({ group: '', resource: 'pods' })?.missing?.(limited, { spec } as ApiObject);
    expect(missing('limits.cpu', 'cpu')).toBe('must specify cpu for: a,c; limits.cpu for: b,c');
    expect(missing('pods', 'requests.ephemeral-storage')).toBeUndefined();
  });

  it('is in scopes', () => {
    const inScopes = (spec: object) =>
      ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity', 'Other'].filter(
        (scopeName) =>
          evaluators
            .of({ group: '', resource: 'pods' })
            ?.inScope({ scopeName, operator: 'Exists' }, { spec } as ApiObject),
      );
    expect(inScopes({})).toEqual(['NotTerminating', 'BestEffort']);
    expect(inScopes({ activeDeadlineSeconds: 0, containers: [container('a', { cpu: '0', memory: '0e3' })] })).toEqual([
      'Terminating',
      'BestEffort',
    ]);
    expect(inScopes({ initContainers: [container('a', {}, { memory: '1Ki' })] })).toEqual([
      'NotTerminating',
      'NotBestEffort',
    ]);
    const term = { podAffinityTerm: { namespaceSelector: {} } };
    const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } };
    expect(inScopes({ affinity })).toEqual(['NotTerminating', 'BestEffort', 'CrossNamespacePodAffinity']);
  });

  it.each([
    ['Exists', [], [false, true, true]],
    ['DoesNotExist', [], [true, false, false]],
    ['In', ['high'], [false, true, false]],
    ['NotIn', ['high'], [true, false, true]],
  ] as const)('is of a priority class: %s %s', (operator, values, expected) => {
    const scope = { scopeName: 'PriorityClass', operator, values };
    const found = [undefined, 'high', 'low'].map((priorityClassName) =>
      evaluators.of({ group: '', resource: 'pods' })?.inScope(scope, { spec: { priorityClassName } } as ApiObject),
    );
    expect(found).toEqual(expected);
  });
});

describe('other objects', () => {
  it('are counted by their resource, some by an old name too, and events not at all', () => {
    expect(usage('deployments', {}, 'apps')).toEqual({ 'count/deployments.apps': '1' });
    expect(usage('secrets', {})).toEqual({ 'count/secrets': '1', secrets: '1' });
    expect(usage('secrets', {}, 'example.com')).toEqual({ 'count/secrets.example.com': '1' });
    expect(evaluators.of({ group: '', resource: 'events' })).toBeUndefined();
    expect(evaluators.of({ group: 'events.k8s.io', resource: 'events' })).toBeUndefined();
  });

  it('are services with the ports of nodes that they take', () => {
    const service = (type: string, more: object = {}) =>
      usage('services', { spec: { type, ports: [{ nodePort: 30000 }, {}], ...more } });
    const one = { 'count/services': '1', services: '1' };
    expect(service('ClusterIP')).toEqual(one);
    expect(service('NodePort')).toEqual({ ...one, 'services.nodeports': '2' });
    expect(service('LoadBalancer')).toEqual({ ...one, 'services.nodeports': '2', 'services.loadbalancers': '1' });
    expect(service('LoadBalancer', { allocateLoadBalancerNodePorts: false })).toEqual({
      ...one,
      'services.nodeports': '1',
      'services.loadbalancers': '1',
    });
  });

  it('are claims with their storage, in whole bytes and by class', () => {
    const spec = { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } };
    expect(usage('persistentvolumeclaims', { spec })).toEqual({
      persistentvolumeclaims: '1',
      'count/persistentvolumeclaims': '1',
      'requests.storage': '2',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'gold.storageclass.storage.k8s.io/requests.storage': '2',
    });
    const evaluator = evaluators.of({ group: '', resource: 'persistentvolumeclaims' });
    expect(evaluator?.counts('any.storageclass.storage.k8s.io/requests.storage')).toBe(true);
    expect(evaluator?.counts('any.storageclass.storage.k8s.io/other')).toBe(false);
  });
});
