import { buildComponent } from '../../clients/control-plane/build-component.js';
import { buildOperator } from '../../clients/operators/build-operator.js';
import { buildEtcd } from '../../clients/sample-apiserver/build-sample-apiserver.js';
import { buildPrograms } from '../programs.js';
import { buildSuite } from './build-suite.js';

/** The release of the example of an aggregated server that a case brings. */
const SAMPLE = { name: 'sample-apiserver', module: 'k8s.io/sample-apiserver', version: 'v0.17.7', main: '.' };

/**
 * Paths of what a cluster and the suite of a release consist of, compiled from published modules: an hour at first, then it is in the
 * user's cache.
 */
export const buildConformancePrograms = (suite: string) => ({
  ...buildPrograms(),
  suite: buildSuite(suite),
  apiserver: buildComponent('kube-apiserver'),
  etcd: buildEtcd(),
  sampleApiserver: buildOperator(SAMPLE).program,
});

export type ConformancePrograms = ReturnType<typeof buildConformancePrograms>;
