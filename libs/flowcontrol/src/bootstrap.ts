import { FIXED_SCHEMAS, fixedLevels } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { FlowRules, FlowSchema, FlowSubject, PriorityLevel, ResourcePolicyRule } from './configuration.js';
import { type FlowSchemaSpec, flowSchemaOf, type PriorityLevelSpec, priorityLevelOf } from './objects.js';

/** An object that every installation has. */
export interface BootstrapFlowObject<T> {
  /** Name of the object; it has no namespace. */
  readonly name: string;
  /** Its spec in version v1beta3. */
  readonly spec: T;
  /** Whether it is immutable; the others are kept up to date as long as their annotation asks for it. */
  readonly isMandatory: boolean;
}

const FIXED_LEVELS = fixedLevels('nominalConcurrencyShares');

const fixedSchema = (name: string): FlowSchema => flowSchemaOf(name, '', FIXED_SCHEMAS.get(name) as FlowSchemaSpec);
const fixedLevel = (name: string): PriorityLevel =>
  priorityLevelOf(name, '', FIXED_LEVELS.get(name) as PriorityLevelSpec) as PriorityLevel;

/** Schema that applies even when no such objects are stored. */
export const exemptSchema = fixedSchema('exempt');
/** FlowSchema for requests that no other schema matches; applies even if it is not stored. */
export const catchAllSchema = fixedSchema('catch-all');
/** Priority level without limits; applies even if it is not stored. */
export const exemptLevel = fixedLevel('exempt');
/** Priority level of {@link catchAllSchema}; applies even if it is not stored. */
export const catchAllLevel = fixedLevel('catch-all');

const queued = (shares: number, lendablePercent: number, queues: number, handSize: number): PriorityLevelSpec => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: shares,
    lendablePercent,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
  },
});

/** Release 1.27: k8s.io/apiserver, pkg/apis/flowcontrol/bootstrap. */
export const BOOTSTRAP_LEVELS: readonly BootstrapFlowObject<PriorityLevelSpec>[] = [
  ...[...FIXED_LEVELS].map(([name, spec]) => ({ name, spec: spec as PriorityLevelSpec, isMandatory: true })),
  { name: 'system', spec: queued(30, 33, 64, 6), isMandatory: false },
  { name: 'node-high', spec: queued(40, 25, 64, 6), isMandatory: false },
  { name: 'leader-election', spec: queued(10, 0, 16, 4), isMandatory: false },
  { name: 'workload-high', spec: queued(40, 50, 128, 6), isMandatory: false },
  { name: 'workload-low', spec: queued(100, 90, 128, 6), isMandatory: false },
  { name: 'global-default', spec: queued(20, 50, 128, 6), isMandatory: false },
];

const groups = (...names: string[]): FlowSubject[] => names.map((name) => ({ kind: 'Group', group: { name } }));
const users = (...names: string[]): FlowSubject[] => names.map((name) => ({ kind: 'User', user: { name } }));
const accounts = (...names: string[]): FlowSubject[] =>
  names.map((name) => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name } }));

const resources = (verbs: string[], group: string, names: string[], clusterScope: boolean): ResourcePolicyRule => ({
  verbs,
  apiGroups: [group],
  resources: names,
  namespaces: ['*'],
  ...(clusterScope && { clusterScope }),
});

const EVERYTHING = {
  resourceRules: [resources(['*'], '*', ['*'], true)],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const ELECTION = ['get', 'create', 'update'];
const EVERYBODY = groups('system:unauthenticated', 'system:authenticated');
const NODES = groups('system:nodes');

/** The flow schemas of release 1.27 in the names of an installation. */
export function bootstrapSchemas(names: Names): readonly BootstrapFlowObject<FlowSchemaSpec>[] {
  const leases = (clusterScope = false) =>
    resources(ELECTION, names.group('coordination.orch.io'), ['leases'], clusterScope);
  const made = (name: string, level: string, precedence: number, method: string, rules: FlowRules) => ({
    name,
    isMandatory: false,
    spec: {
      matchingPrecedence: precedence,
      priorityLevelConfiguration: { name: level },
      ...(method !== '' && { distinguisherMethod: { type: method } }),
      rules: [rules],
    },
  });
  const probes = {
    subjects: EVERYBODY,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  };
  const managed = [...users('system:kube-controller-manager', 'system:kube-scheduler'), ...accounts('*')];
  const endpoints = [
    ...users('system:kube-controller-manager'),
    ...accounts('endpoint-controller', 'endpointslicemirroring-controller'),
  ];
  const nodeObjects = [resources(['*'], '', ['nodes', 'nodes/status'], true), { ...leases(), verbs: ['*'] }];
  return [
    ...[...FIXED_SCHEMAS].map(([name, spec]) => ({ name, spec: spec as FlowSchemaSpec, isMandatory: true })),
    made('probes', 'exempt', 2, '', probes),
    made('system-leader-election', 'leader-election', 100, 'ByUser', { subjects: managed, resourceRules: [leases()] }),
    made('endpoint-controller', 'workload-high', 150, 'ByUser', {
      subjects: endpoints,
      resourceRules: [resources(ELECTION, '', ['endpoints'], false)],
    }),
    made('workload-leader-election', 'leader-election', 200, 'ByUser', {
      subjects: accounts('*'),
      resourceRules: [resources(ELECTION, '', ['endpoints', 'configmaps'], false), leases()],
    }),
    made('system-node-high', 'node-high', 400, 'ByUser', { subjects: NODES, resourceRules: nodeObjects }),
    made('system-nodes', 'system', 500, 'ByUser', { subjects: NODES, ...EVERYTHING }),
    made('kube-controller-manager', 'workload-high', 800, 'ByNamespace', {
      subjects: users('system:kube-controller-manager'),
      ...EVERYTHING,
    }),
    made('kube-scheduler', 'workload-high', 800, 'ByNamespace', {
      subjects: users('system:kube-scheduler'),
      ...EVERYTHING,
    }),
    made('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', {
      subjects: accounts('*'),
      ...EVERYTHING,
    }),
    made('service-accounts', 'workload-low', 9_000, 'ByUser', {
      subjects: groups('system:serviceaccounts'),
      ...EVERYTHING,
    }),
    made('global-default', 'global-default', 9_900, 'ByUser', { subjects: EVERYBODY, ...EVERYTHING }),
  ];
}
