import { buildComponent } from '../clients/control-plane/build-component.js';
import { findKubectl } from '../clients/kubectl.js';
import { buildOperator } from '../clients/operators/build-operator.js';
import { helm } from '../deploy/helm.js';

const COREDNS = { name: 'coredns', module: 'github.com/coredns/coredns', version: 'v1.10.1', main: '.' };

/** Paths of what is compiled from published modules; half an hour at first, then it is in the user's cache. */
export const buildPrograms = () => ({
  kubelet: buildComponent('kubelet'),
  manager: buildComponent('kube-controller-manager'),
  scheduler: buildComponent('kube-scheduler'),
  proxy: buildComponent('kube-proxy'),
  coredns: buildOperator(COREDNS).program,
  helm: helm(),
  kubectl: findKubectl('1.27'),
});

export type BuiltPrograms = ReturnType<typeof buildPrograms>;
