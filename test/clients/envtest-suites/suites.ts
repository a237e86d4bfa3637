/** Tests of a published module that start a control plane by envtest. */
export interface Suite {
  readonly name: string;
  readonly module: string;
  /** As `v0.15.3`. */
  readonly version: string;
  /** Packages that have such tests. */
  readonly packages: readonly string[];
  /** Definitions of other modules that are copied beside the tests, as the module's Makefile does: folder here, module, folder there. */
  readonly definitions?: readonly (readonly [to: string, module: string, from: string])[];
  readonly env?: Readonly<Record<string, string>>;
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
      './test/integration/controller/core',
      './test/integration/controller/jobs/job',
      './test/integration/scheduler',
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
      './internal/webhooks/test',
      './internal/controllers/machine',
      './internal/controllers/machineset',
      './internal/controllers/machinedeployment',
      './internal/controllers/cluster',
      './internal/controllers/topology/cluster',
      './util/patch',
    ],
  },
];
