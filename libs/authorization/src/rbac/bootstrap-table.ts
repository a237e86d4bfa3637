/** Features that rules and roles depend on. */
export type BootstrapGate =
  | 'APISelfSubjectReview'
  | 'ClusterTrustBundle'
  | 'DynamicResourceAllocation'
  | 'PodDisruptionConditions'
  | 'StatefulSetAutoDeletePVC'
  | 'StorageVersionAPI';

/** A rule of the table: words are separated by spaces, and the core group is called `core`. */
export interface RuleRow {
  readonly verbs: string;
  readonly groups?: string;
  readonly resources?: string;
  readonly names?: string;
  readonly paths?: string;
  readonly gate?: BootstrapGate;
}

/** A role of the table; cluster-scoped by default. */
export interface RoleRow {
  readonly name: string;
  readonly namespace?: string;
  readonly gate?: BootstrapGate;
  /** Roles that aggregate it: `admin`, `edit`, `view`. */
  readonly partOf?: readonly string[];
  /** Name under which it aggregates other roles (their `partOf`). */
  readonly madeOf?: string;
  readonly rules?: readonly RuleRow[];
}

/** A binding of the table, to a role in its own namespace. */
export interface BindingRow {
  readonly name: string;
  readonly namespace?: string;
  readonly gate?: BootstrapGate;
  /** Default: the role of the same name. */
  readonly role?: string;
  readonly subjects: readonly SubjectRow[];
}

/** A subject of the table; a service account is in `kube-system`. */
export interface SubjectRow {
  readonly kind: 'Group' | 'User' | 'ServiceAccount';
  readonly name: string;
}

const rule = (
  verbs: string,
  groups: string,
  resources: string,
  more: Pick<RuleRow, 'names' | 'gate'> = {},
): RuleRow => ({ verbs, groups, resources, ...more });
const paths = (verbs: string, of: string): RuleRow => ({ verbs, paths: of });
const group = (name: string): SubjectRow => ({ kind: 'Group', name });
const user = (name: string): SubjectRow => ({ kind: 'User', name });
const account = (name: string): SubjectRow => ({ kind: 'ServiceAccount', name });

/** Roles of every installation, as in release 1.27. */
export const BOOTSTRAP_ROLES: readonly RoleRow[] = [
  { name: 'cluster-admin', rules: [rule('*', '*', '*'), paths('*', '*')] },
  {
    name: 'system:discovery',
    rules: [paths('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/')],
  },
  {
    name: 'system:monitoring',
    rules: [paths('get', '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*')],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('create', 'authorization.orch.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      rule('create', 'authentication.orch.io', 'selfsubjectreviews', { gate: 'APISelfSubjectReview' }),
    ],
  },
  { name: 'system:public-info-viewer', rules: [paths('get', '/healthz /livez /readyz /version /version/')] },
  { name: 'admin', madeOf: 'admin' },
  { name: 'edit', partOf: ['admin'], madeOf: 'edit' },
  { name: 'view', partOf: ['edit'], madeOf: 'view' },
  {
    name: 'system:aggregate-to-admin',
    partOf: ['admin'],
    rules: [
      rule('create', 'authorization.orch.io', 'localsubjectaccessreviews'),
      rule(
        'create delete deletecollection get list patch update watch',
        'rbac.authorization.orch.io',
        'rolebindings roles',
      ),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    partOf: ['edit'],
    rules: [
      rule('get list watch', 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
      rule('impersonate', 'core', 'serviceaccounts'),
      rule(
        'create delete deletecollection patch update',
        'core',
        'pods pods/attach pods/exec pods/portforward pods/proxy',
      ),
      rule('create', 'core', 'pods/eviction'),
      rule(
        'create delete deletecollection patch update',
        'core',
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      rule('create', 'core', 'serviceaccounts/token'),
      rule(
        'create delete deletecollection patch update',
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      rule('create delete deletecollection patch update', 'autoscaling', 'horizontalpodautoscalers'),
      rule('create delete deletecollection patch update', 'batch', 'cronjobs jobs'),
      rule(
        'create delete deletecollection patch update',
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      rule('create delete deletecollection patch update', 'policy', 'poddisruptionbudgets'),
      rule('create delete deletecollection patch update', 'networking.orch.io', 'ingresses networkpolicies'),
      rule('create delete deletecollection get list patch update watch', 'coordination.orch.io', 'leases'),
    ],
  },
  {
    name: 'system:aggregate-to-view',
    partOf: ['view'],
    rules: [
      rule(
        'get list watch',
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      rule(
        'get list watch',
        'core',
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      rule('get list watch', 'core', 'namespaces'),
      rule('get list watch', 'discovery.orch.io', 'endpointslices'),
      rule(
        'get list watch',
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      rule('get list watch', 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      rule('get list watch', 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      rule(
        'get list watch',
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      rule('get list watch', 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      rule('get list watch', 'networking.orch.io', 'ingresses ingresses/status networkpolicies'),
    ],
  },
  {
    name: 'system:heapster',
    rules: [
      rule('get list watch', 'core', 'events namespaces nodes pods'),
      rule('get list watch', 'extensions', 'deployments'),
    ],
  },
  {
    name: 'system:node',
    rules: [
      rule('create', 'authentication.orch.io', 'tokenreviews'),
      rule('create', 'authorization.orch.io', 'localsubjectaccessreviews subjectaccessreviews'),
      rule('get list watch', 'core', 'services'),
      rule('create get list watch', 'core', 'nodes'),
      rule('patch update', 'core', 'nodes/status'),
      rule('patch update', 'core', 'nodes'),
      rule('create patch update', 'core', 'events'),
      rule('get list watch', 'core', 'pods'),
      rule('create delete', 'core', 'pods'),
      rule('patch update', 'core', 'pods/status'),
      rule('create', 'core', 'pods/eviction'),
      rule('get list watch', 'core', 'configmaps secrets'),
      rule('get', 'core', 'persistentvolumeclaims persistentvolumes'),
      rule('get', 'core', 'endpoints'),
      rule('create get list watch', 'certificates.orch.io', 'certificatesigningrequests'),
      rule('create delete get patch update', 'coordination.orch.io', 'leases'),
      rule('get', 'storage.orch.io', 'volumeattachments'),
      rule('create', 'core', 'serviceaccounts/token'),
      rule('get patch update', 'core', 'persistentvolumeclaims/status'),
      rule('get list watch', 'storage.orch.io', 'csidrivers'),
      rule('create delete get patch update', 'storage.orch.io', 'csinodes'),
      rule('get list watch', 'node.orch.io', 'runtimeclasses'),
      rule('get', 'resource.orch.io', 'resourceclaims', { gate: 'DynamicResourceAllocation' }),
      rule('get list watch', 'certificates.orch.io', 'clustertrustbundles', { gate: 'ClusterTrustBundle' }),
    ],
  },
  {
    name: 'system:node-problem-detector',
    rules: [
      rule('get', 'core', 'nodes'),
      rule('patch', 'core', 'nodes/status'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      rule('get list watch', 'core', 'nodes'),
      rule('proxy', 'core', 'nodes'),
      rule('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [rule('create get list watch', 'certificates.orch.io', 'certificatesigningrequests')],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      rule('create', 'authentication.orch.io', 'tokenreviews'),
      rule('create', 'authorization.orch.io', 'subjectaccessreviews'),
    ],
  },
  { name: 'system:kube-aggregator', rules: [rule('get list watch', 'core', 'endpoints services')] },
  {
    name: 'system:kube-controller-manager',
    rules: [
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('create', 'coordination.orch.io', 'leases'),
      rule('get update', 'coordination.orch.io', 'leases', { names: 'kube-controller-manager' }),
      rule('create', 'core', 'secrets serviceaccounts'),
      rule('delete', 'core', 'secrets'),
      rule('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
      rule('update', 'core', 'secrets serviceaccounts'),
      rule('create', 'authentication.orch.io', 'tokenreviews'),
      rule('create', 'authorization.orch.io', 'subjectaccessreviews'),
      rule('list watch', '*', '*'),
      rule('create', 'core', 'serviceaccounts/token'),
    ],
  },
  { name: 'system:kube-dns', rules: [rule('list watch', 'core', 'endpoints services')] },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      rule('create delete get list watch', 'core', 'persistentvolumes'),
      rule('get list update watch', 'core', 'persistentvolumeclaims'),
      rule('get list watch', 'storage.orch.io', 'storageclasses'),
      rule('watch', 'core', 'events'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:certificates.orch.io:certificatesigningrequests:nodeclient',
    rules: [rule('create', 'certificates.orch.io', 'certificatesigningrequests/nodeclient')],
  },
  {
    name: 'system:certificates.orch.io:certificatesigningrequests:selfnodeclient',
    rules: [rule('create', 'certificates.orch.io', 'certificatesigningrequests/selfnodeclient')],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      rule('get list patch update watch', 'core', 'persistentvolumes'),
      rule('get list watch', 'storage.orch.io', 'storageclasses'),
      rule('get list patch update watch', 'core', 'persistentvolumeclaims'),
    ],
  },
  {
    name: 'system:certificates.orch.io:legacy-unknown-approver',
    rules: [rule('approve', 'certificates.orch.io', 'signers', { names: 'orch.io/legacy-unknown' })],
  },
  {
    name: 'system:certificates.orch.io:kubelet-serving-approver',
    rules: [rule('approve', 'certificates.orch.io', 'signers', { names: 'orch.io/kubelet-serving' })],
  },
  {
    name: 'system:certificates.orch.io:kube-apiserver-client-approver',
    rules: [rule('approve', 'certificates.orch.io', 'signers', { names: 'orch.io/apiserver-client' })],
  },
  {
    name: 'system:certificates.orch.io:kube-apiserver-client-kubelet-approver',
    rules: [rule('approve', 'certificates.orch.io', 'signers', { names: 'orch.io/kube-apiserver-client-kubelet' })],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [paths('get', '/.well-known/openid-configuration /openid/v1/jwks')],
  },
  {
    name: 'system:node-proxier',
    rules: [
      rule('list watch', 'core', 'endpoints services'),
      rule('get list watch', 'core', 'nodes'),
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('list watch', 'discovery.orch.io', 'endpointslices'),
    ],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('create', 'coordination.orch.io', 'leases'),
      rule('get update', 'coordination.orch.io', 'leases', { names: 'kube-scheduler' }),
      rule('get list watch', 'core', 'nodes'),
      rule('delete get list watch', 'core', 'pods'),
      rule('create', 'core', 'bindings pods/binding'),
      rule('patch update', 'core', 'pods/status'),
      rule('get list watch', 'core', 'replicationcontrollers services'),
      rule('get list watch', 'apps extensions', 'replicasets'),
      rule('get list watch', 'apps', 'statefulsets'),
      rule('get list watch', 'policy', 'poddisruptionbudgets'),
      rule('get list watch', 'core', 'persistentvolumeclaims persistentvolumes'),
      rule('create', 'authentication.orch.io', 'tokenreviews'),
      rule('create', 'authorization.orch.io', 'subjectaccessreviews'),
      rule('get list watch', 'storage.orch.io', 'csinodes'),
      rule('get list watch', 'core', 'namespaces'),
      rule('get list watch', 'storage.orch.io', 'csidrivers'),
      rule('get list watch', 'storage.orch.io', 'csistoragecapacities'),
      rule('get list watch', 'resource.orch.io', 'resourceclaims resourceclasses', {
        gate: 'DynamicResourceAllocation',
      }),
      rule('get list patch update watch', 'resource.orch.io', 'resourceclaims/status', {
        gate: 'DynamicResourceAllocation',
      }),
      rule('create delete deletecollection get list patch update watch', 'resource.orch.io', 'podschedulingcontexts', {
        gate: 'DynamicResourceAllocation',
      }),
      rule('get list watch', 'resource.orch.io', 'podschedulingcontexts/status', { gate: 'DynamicResourceAllocation' }),
    ],
  },
  {
    name: 'system:cluster-trust-bundle-discovery',
    gate: 'ClusterTrustBundle',
    rules: [rule('get list watch', 'certificates.orch.io', 'clustertrustbundles')],
  },
  {
    name: 'system:controller:attachdetach-controller',
    rules: [
      rule('list watch', 'core', 'persistentvolumeclaims persistentvolumes'),
      rule('get list watch', 'core', 'nodes'),
      rule('patch update', 'core', 'nodes/status'),
      rule('list watch', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('create delete get list watch', 'storage.orch.io', 'volumeattachments'),
      rule('get list watch', 'storage.orch.io', 'csidrivers'),
      rule('get list watch', 'storage.orch.io', 'csinodes'),
    ],
  },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    rules: [rule('escalate get list patch update watch', 'rbac.authorization.orch.io', 'clusterroles')],
  },
  {
    name: 'system:controller:cronjob-controller',
    rules: [
      rule('get list update watch', 'batch', 'cronjobs'),
      rule('create delete get list patch update watch', 'batch', 'jobs'),
      rule('update', 'batch', 'cronjobs/status'),
      rule('update', 'batch', 'cronjobs/finalizers'),
      rule('delete list', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:daemon-set-controller',
    rules: [
      rule('get list watch', 'apps extensions', 'daemonsets'),
      rule('update', 'apps extensions', 'daemonsets/status'),
      rule('update', 'apps extensions', 'daemonsets/finalizers'),
      rule('list watch', 'core', 'nodes'),
      rule('create delete list patch watch', 'core', 'pods'),
      rule('create', 'core', 'pods/binding'),
      rule('create delete get list patch update watch', 'apps', 'controllerrevisions'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:deployment-controller',
    rules: [
      rule('get list update watch', 'apps extensions', 'deployments'),
      rule('update', 'apps extensions', 'deployments/status'),
      rule('update', 'apps extensions', 'deployments/finalizers'),
      rule('create delete get list patch update watch', 'apps extensions', 'replicasets'),
      rule('get list update watch', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:disruption-controller',
    rules: [
      rule('get list watch', 'apps extensions', 'deployments'),
      rule('get list watch', 'apps extensions', 'replicasets'),
      rule('get list watch', 'core', 'replicationcontrollers'),
      rule('get list watch', 'policy', 'poddisruptionbudgets'),
      rule('get list watch', 'apps', 'statefulsets'),
      rule('update', 'policy', 'poddisruptionbudgets/status'),
      rule('get', '*', '*/scale'),
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('patch', 'core', 'pods/status', { gate: 'PodDisruptionConditions' }),
    ],
  },
  {
    name: 'system:controller:endpoint-controller',
    rules: [
      rule('get list watch', 'core', 'pods services'),
      rule('create delete get list update', 'core', 'endpoints'),
      rule('create', 'core', 'endpoints/restricted'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:endpointslice-controller',
    rules: [
      rule('get list watch', 'core', 'nodes pods services'),
      rule('update', 'core', 'services/finalizers'),
      rule('create delete get list update', 'discovery.orch.io', 'endpointslices'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    rules: [
      rule('get list watch', 'core', 'endpoints services'),
      rule('update', 'core', 'services/finalizers'),
      rule('update', 'core', 'endpoints/finalizers'),
      rule('create delete get list update', 'discovery.orch.io', 'endpointslices'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:expand-controller',
    rules: [
      rule('get list patch update watch', 'core', 'persistentvolumes'),
      rule('patch update', 'core', 'persistentvolumeclaims/status'),
      rule('get list watch', 'core', 'persistentvolumeclaims'),
      rule('get list watch', 'storage.orch.io', 'storageclasses'),
      rule('get', 'core', 'endpoints services'),
      rule('get', 'core', 'secrets'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    rules: [
      rule('get list watch', 'core', 'pods'),
      rule('update', 'core', 'pods/finalizers'),
      rule('create get list watch', 'core', 'persistentvolumeclaims'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:resource-claim-controller',
    gate: 'DynamicResourceAllocation',
    rules: [
      rule('get list watch', 'core', 'pods'),
      rule('update', 'core', 'pods/finalizers'),
      rule('create get list watch', 'resource.orch.io', 'resourceclaims'),
      rule('patch update', 'resource.orch.io', 'resourceclaims/status'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:generic-garbage-collector',
    rules: [
      rule('delete get list patch update watch', '*', '*'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    rules: [
      rule('get list watch', 'autoscaling', 'horizontalpodautoscalers'),
      rule('update', 'autoscaling', 'horizontalpodautoscalers/status'),
      rule('get update', '*', '*/scale'),
      rule('list', 'core', 'pods'),
      rule('list', 'metrics.orch.io', 'pods'),
      rule('get list', 'custom.metrics.orch.io', '*'),
      rule('get list', 'external.metrics.orch.io', '*'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:job-controller',
    rules: [
      rule('get list patch update watch', 'batch', 'jobs'),
      rule('update', 'batch', 'jobs/status'),
      rule('update', 'batch', 'jobs/finalizers'),
      rule('create delete list patch watch', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:namespace-controller',
    rules: [
      rule('delete get list watch', 'core', 'namespaces'),
      rule('update', 'core', 'namespaces/finalize namespaces/status'),
      rule('delete deletecollection get list', '*', '*'),
    ],
  },
  {
    name: 'system:controller:node-controller',
    rules: [
      rule('delete get list patch update', 'core', 'nodes'),
      rule('patch update', 'core', 'nodes/status'),
      rule('patch update', 'core', 'pods/status'),
      rule('delete list', 'core', 'pods'),
      rule('create get list update', 'networking.orch.io', 'clustercidrs'),
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('get', 'core', 'pods', { gate: 'PodDisruptionConditions' }),
    ],
  },
  {
    name: 'system:controller:persistent-volume-binder',
    rules: [
      rule('create delete get list update watch', 'core', 'persistentvolumes'),
      rule('update', 'core', 'persistentvolumes/status'),
      rule('get list update watch', 'core', 'persistentvolumeclaims'),
      rule('update', 'core', 'persistentvolumeclaims/status'),
      rule('create delete get list watch', 'core', 'pods'),
      rule('get list watch', 'storage.orch.io', 'storageclasses'),
      rule('create delete get update', 'core', 'endpoints'),
      rule('create delete get', 'core', 'services'),
      rule('get', 'core', 'secrets'),
      rule('get list', 'core', 'nodes'),
      rule('watch', 'core', 'events'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:pod-garbage-collector',
    rules: [
      rule('delete list watch', 'core', 'pods'),
      rule('get list', 'core', 'nodes'),
      rule('patch', 'core', 'pods/status', { gate: 'PodDisruptionConditions' }),
    ],
  },
  {
    name: 'system:controller:replicaset-controller',
    rules: [
      rule('get list update watch', 'apps extensions', 'replicasets'),
      rule('update', 'apps extensions', 'replicasets/status'),
      rule('update', 'apps extensions', 'replicasets/finalizers'),
      rule('create delete list patch watch', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:replication-controller',
    rules: [
      rule('get list update watch', 'core', 'replicationcontrollers'),
      rule('update', 'core', 'replicationcontrollers/status'),
      rule('update', 'core', 'replicationcontrollers/finalizers'),
      rule('create delete list patch watch', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:resourcequota-controller',
    rules: [
      rule('list watch', '*', '*'),
      rule('update', 'core', 'resourcequotas/status'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:route-controller',
    rules: [
      rule('list watch', 'core', 'nodes'),
      rule('patch', 'core', 'nodes/status'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:service-account-controller',
    rules: [rule('create', 'core', 'serviceaccounts'), rule('create patch update', 'core events.orch.io', 'events')],
  },
  {
    name: 'system:controller:service-controller',
    rules: [
      rule('get list watch', 'core', 'services'),
      rule('patch update', 'core', 'services/status'),
      rule('list watch', 'core', 'nodes'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:statefulset-controller',
    rules: [
      rule('list watch', 'core', 'pods'),
      rule('get list watch', 'apps', 'statefulsets'),
      rule('update', 'apps', 'statefulsets/status'),
      rule('update', 'apps', 'statefulsets/finalizers'),
      rule('create delete get patch update', 'core', 'pods'),
      rule('create delete get list patch update watch', 'apps', 'controllerrevisions'),
      rule('create get', 'core', 'persistentvolumeclaims'),
      rule('create patch update', 'core events.orch.io', 'events'),
      rule('delete update', 'core', 'persistentvolumeclaims', { gate: 'StatefulSetAutoDeletePVC' }),
    ],
  },
  {
    name: 'system:controller:ttl-controller',
    rules: [
      rule('list patch update watch', 'core', 'nodes'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:certificate-controller',
    rules: [
      rule('delete get list watch', 'certificates.orch.io', 'certificatesigningrequests'),
      rule('update', 'certificates.orch.io', 'certificatesigningrequests/approval certificatesigningrequests/status'),
      rule('approve', 'certificates.orch.io', 'signers', { names: 'orch.io/kube-apiserver-client-kubelet' }),
      rule('sign', 'certificates.orch.io', 'signers', {
        names:
          'orch.io/apiserver-client orch.io/kube-apiserver-client-kubelet orch.io/kubelet-serving orch.io/legacy-unknown',
      }),
      rule('create', 'authorization.orch.io', 'subjectaccessreviews'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:pvc-protection-controller',
    rules: [
      rule('get list update watch', 'core', 'persistentvolumeclaims'),
      rule('get list watch', 'core', 'pods'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:pv-protection-controller',
    rules: [
      rule('get list update watch', 'core', 'persistentvolumes'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    rules: [
      rule('delete get list watch', 'batch', 'jobs'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system:controller:root-ca-cert-publisher',
    rules: [rule('create update', 'core', 'configmaps'), rule('create patch update', 'core events.orch.io', 'events')],
  },
  {
    name: 'system:controller:storage-version-garbage-collector',
    gate: 'StorageVersionAPI',
    rules: [
      rule('get list watch', 'coordination.orch.io', 'leases'),
      rule('delete get list patch update watch', 'internal.apiserver.orch.io', 'storageversions'),
      rule('get patch update', 'internal.apiserver.orch.io', 'storageversions/status'),
    ],
  },
  {
    name: 'extension-apiserver-authentication-reader',
    namespace: 'kube-system',
    rules: [rule('get list watch', 'core', 'configmaps', { names: 'extension-apiserver-authentication' })],
  },
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-system',
    rules: [rule('get list watch', 'core', 'secrets')],
  },
  {
    name: 'system:controller:cloud-provider',
    namespace: 'kube-system',
    rules: [rule('create get list watch', 'core', 'configmaps')],
  },
  {
    name: 'system:controller:token-cleaner',
    namespace: 'kube-system',
    rules: [
      rule('delete get list watch', 'core', 'secrets'),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    namespace: 'kube-system',
    rules: [
      rule('watch', 'core', 'configmaps'),
      rule('get update', 'core', 'configmaps', { names: 'kube-controller-manager' }),
    ],
  },
  {
    name: 'system::leader-locking-kube-scheduler',
    namespace: 'kube-system',
    rules: [rule('watch', 'core', 'configmaps'), rule('get update', 'core', 'configmaps', { names: 'kube-scheduler' })],
  },
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-public',
    rules: [
      rule('get list watch', 'core', 'configmaps'),
      rule('update', 'core', 'configmaps', { names: 'cluster-info' }),
      rule('create patch update', 'core events.orch.io', 'events'),
    ],
  },
];

/** Bindings of every installation, as in release 1.27. */
export const BOOTSTRAP_BINDINGS: readonly BindingRow[] = [
  { name: 'cluster-admin', subjects: [group('system:masters')] },
  { name: 'system:monitoring', subjects: [group('system:monitoring')] },
  { name: 'system:discovery', subjects: [group('system:authenticated')] },
  { name: 'system:basic-user', subjects: [group('system:authenticated')] },
  { name: 'system:public-info-viewer', subjects: [group('system:authenticated'), group('system:unauthenticated')] },
  { name: 'system:node-proxier', subjects: [user('system:kube-proxy')] },
  { name: 'system:kube-controller-manager', subjects: [user('system:kube-controller-manager')] },
  { name: 'system:kube-dns', subjects: [account('kube-dns')] },
  { name: 'system:kube-scheduler', subjects: [user('system:kube-scheduler')] },
  { name: 'system:volume-scheduler', subjects: [user('system:kube-scheduler')] },
  { name: 'system:node', subjects: [] },
  { name: 'system:service-account-issuer-discovery', subjects: [group('system:serviceaccounts')] },
  {
    name: 'system:cluster-trust-bundle-discovery',
    gate: 'ClusterTrustBundle',
    subjects: [group('system:serviceaccounts')],
  },
  { name: 'system:controller:attachdetach-controller', subjects: [account('attachdetach-controller')] },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    subjects: [account('clusterrole-aggregation-controller')],
  },
  { name: 'system:controller:cronjob-controller', subjects: [account('cronjob-controller')] },
  { name: 'system:controller:daemon-set-controller', subjects: [account('daemon-set-controller')] },
  { name: 'system:controller:deployment-controller', subjects: [account('deployment-controller')] },
  { name: 'system:controller:disruption-controller', subjects: [account('disruption-controller')] },
  { name: 'system:controller:endpoint-controller', subjects: [account('endpoint-controller')] },
  { name: 'system:controller:endpointslice-controller', subjects: [account('endpointslice-controller')] },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    subjects: [account('endpointslicemirroring-controller')],
  },
  { name: 'system:controller:expand-controller', subjects: [account('expand-controller')] },
  { name: 'system:controller:ephemeral-volume-controller', subjects: [account('ephemeral-volume-controller')] },
  {
    name: 'system:controller:resource-claim-controller',
    gate: 'DynamicResourceAllocation',
    subjects: [account('resource-claim-controller')],
  },
  { name: 'system:controller:generic-garbage-collector', subjects: [account('generic-garbage-collector')] },
  { name: 'system:controller:horizontal-pod-autoscaler', subjects: [account('horizontal-pod-autoscaler')] },
  { name: 'system:controller:job-controller', subjects: [account('job-controller')] },
  { name: 'system:controller:namespace-controller', subjects: [account('namespace-controller')] },
  { name: 'system:controller:node-controller', subjects: [account('node-controller')] },
  { name: 'system:controller:persistent-volume-binder', subjects: [account('persistent-volume-binder')] },
  { name: 'system:controller:pod-garbage-collector', subjects: [account('pod-garbage-collector')] },
  { name: 'system:controller:replicaset-controller', subjects: [account('replicaset-controller')] },
  { name: 'system:controller:replication-controller', subjects: [account('replication-controller')] },
  { name: 'system:controller:resourcequota-controller', subjects: [account('resourcequota-controller')] },
  { name: 'system:controller:route-controller', subjects: [account('route-controller')] },
  { name: 'system:controller:service-account-controller', subjects: [account('service-account-controller')] },
  { name: 'system:controller:service-controller', subjects: [account('service-controller')] },
  { name: 'system:controller:statefulset-controller', subjects: [account('statefulset-controller')] },
  { name: 'system:controller:ttl-controller', subjects: [account('ttl-controller')] },
  { name: 'system:controller:certificate-controller', subjects: [account('certificate-controller')] },
  { name: 'system:controller:pvc-protection-controller', subjects: [account('pvc-protection-controller')] },
  { name: 'system:controller:pv-protection-controller', subjects: [account('pv-protection-controller')] },
  { name: 'system:controller:ttl-after-finished-controller', subjects: [account('ttl-after-finished-controller')] },
  { name: 'system:controller:root-ca-cert-publisher', subjects: [account('root-ca-cert-publisher')] },
  {
    name: 'system:controller:storage-version-garbage-collector',
    gate: 'StorageVersionAPI',
    subjects: [account('storage-version-garbage-collector')],
  },
  {
    name: 'system::extension-apiserver-authentication-reader',
    namespace: 'kube-system',
    role: 'extension-apiserver-authentication-reader',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    namespace: 'kube-system',
    subjects: [user('system:kube-controller-manager'), account('kube-controller-manager')],
  },
  {
    name: 'system::leader-locking-kube-scheduler',
    namespace: 'kube-system',
    subjects: [user('system:kube-scheduler'), account('kube-scheduler')],
  },
  { name: 'system:controller:bootstrap-signer', namespace: 'kube-system', subjects: [account('bootstrap-signer')] },
  { name: 'system:controller:cloud-provider', namespace: 'kube-system', subjects: [account('cloud-provider')] },
  { name: 'system:controller:token-cleaner', namespace: 'kube-system', subjects: [account('token-cleaner')] },
  { name: 'system:controller:bootstrap-signer', namespace: 'kube-public', subjects: [account('bootstrap-signer')] },
];
