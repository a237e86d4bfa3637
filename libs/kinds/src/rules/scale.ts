import type { ApiObject } from '@orch/machinery';
import { at, countAt, ensureObject } from '../values/fields.js';
import { selectorText } from '../values/text.js';
import type { ScaleRules } from './kind-rules.js';

/** The scale of a workload with `spec.replicas`, `status.replicas` and a selector under `spec.selector`. */
export const workloadScale: ScaleRules = {
  replicasPath: '.spec.replicas',
  read: (object: ApiObject) => ({
    replicas: countAt(object, 'spec', 'replicas'),
    statusReplicas: countAt(object, 'status', 'replicas'),
    selector: selectorText(at(object, 'spec', 'selector')),
  }),
  write(object, replicas) {
    ensureObject(object, 'spec').replicas = replicas;
  },
};
