import type { LabelSelector } from '@orch/schema/types/meta/v1';
import { ensureObject } from '../values/fields.js';
import { selectorText } from '../values/text.js';
import type { ScaleRules } from './kind-rules.js';

/** Workloads with a number of replicas and a selector of their pods. */
interface Workload {
  spec?: { replicas?: number; readonly selector?: LabelSelector };
  readonly status?: { readonly replicas?: number };
}

/** The scale of a workload with `spec.replicas`, `status.replicas` and a selector under `spec.selector`. */
export const workloadScale: ScaleRules<Workload> = {
  replicasPath: '.spec.replicas',
  read: ({ spec, status }) => ({
    replicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas ?? 0,
    selector: selectorText(spec?.selector),
  }),
  write(object, replicas) {
    ensureObject(object, 'spec').replicas = replicas;
  },
};
