/** Tests of a published module that start a control plane by envtest. */
export interface Suite {
  readonly name: string;
  readonly module: string;
  /** Version of the module, for example `v0.15.3`. */
  readonly version: string;
  /** Packages that have such tests. */
  readonly packages: readonly string[];
  /** Definitions of other modules that are copied beside the tests, as the module's Makefile does: folder here, module, folder there. */
  readonly definitions?: readonly (readonly [to: string, module: string, from: string])[];
  /** Cases that fail on etcd and kube-apiserver of release 1.27.16 too. */
  readonly failsThereToo?: readonly string[];
}

const CONTROLLER_RUNTIME = {
  module: 'sigs.k8s.io/controller-runtime',
  packages: ['./pkg/envtest', './pkg/client'],
};

export const SUITES: readonly Suite[] = [
  { ...CONTROLLER_RUNTIME, name: 'controller-runtime-0.15', version: 'v0.15.3' },
  { ...CONTROLLER_RUNTIME, name: 'controller-runtime-0.17', version: 'v0.17.2' },
  {
    name: 'jobset',
    module: 'sigs.k8s.io/jobset',
    version: 'v0.5.2',
    packages: ['./test/integration/controller', './test/integration/webhook'],
  },
  {
    name: 'kueue',
    module: 'sigs.k8s.io/kueue',
    version: 'v0.6.2',
    packages: [
      './test/integration/webhook',
      './test/integration/controller/admissionchecks/provisioning',
      './test/integration/controller/core',
      './test/integration/controller/jobs/job',
      './test/integration/controller/jobs/jobset',
      './test/integration/controller/jobs/mpijob',
      './test/integration/controller/jobs/mxjob',
      './test/integration/controller/jobs/paddlejob',
      './test/integration/controller/jobs/pod',
      './test/integration/controller/jobs/pytorchjob',
      './test/integration/controller/jobs/raycluster',
      './test/integration/controller/jobs/rayjob',
      './test/integration/controller/jobs/tfjob',
      './test/integration/controller/jobs/xgboostjob',
      './test/integration/multikueue',
      './test/integration/scheduler',
      './test/integration/scheduler/podsready',
    ],
    failsThereToo: [
      // The cases before it leave the flavor `one`, which they have not made where each process has its own control plane, as there.
      'Preemption When most quota is in a shared ClusterQueue in a cohort [BeforeEach] should allow preempting workloads while borrowing',
    ],
    definitions: [
      ['dep-crds/mpi-operator', 'github.com/kubeflow/mpi-operator', 'manifests/base'],
      ['dep-crds/training-operator', 'github.com/kubeflow/training-operator', 'manifests/base/crds'],
      ['dep-crds/ray-operator', 'github.com/ray-project/kuberay/ray-operator', 'config/crd/bases'],
      ['dep-crds/jobset-operator', 'sigs.k8s.io/jobset', 'config/components/crd/bases'],
      ['dep-crds/cluster-autoscaler', 'k8s.io/autoscaler/cluster-autoscaler/apis', 'config/crd'],
    ],
  },
  {
    name: 'cluster-api',
    module: 'sigs.k8s.io/cluster-api',
    version: 'v1.5.3',
    packages: [
      './api/v1alpha3',
      './internal/webhooks/test',
      './internal/controllers/cluster',
      './internal/controllers/clusterclass',
      './internal/controllers/machine',
      './internal/controllers/machinedeployment',
      './internal/controllers/machinehealthcheck',
      './internal/controllers/machineset',
      './internal/controllers/topology/cluster',
      './internal/controllers/topology/cluster/structuredmerge',
      './internal/util/ssa',
      './util/collections',
      './util/patch',
      './bootstrap/kubeadm/api/v1alpha3',
      './bootstrap/kubeadm/internal/controllers',
      './bootstrap/util',
      './controllers/remote',
      './controlplane/kubeadm/api/v1alpha3',
      './controlplane/kubeadm/internal',
      './controlplane/kubeadm/internal/controllers',
      './exp/addons/api/v1alpha3',
      './exp/addons/internal/controllers',
      './exp/api/v1alpha3',
      './exp/internal/controllers',
      './exp/runtime/internal/controllers',
    ],
  },
];
