import type { ApiObject, Names } from '@orch/machinery';
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '@orch/schema/types/autoscaling/v1';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerBehavior } from '@orch/schema/types/autoscaling/v2';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { ensureObject, fill, fillZero, isEmpty } from '../values/fields.js';
import { UNSET } from '../values/text.js';
import { keptKey, withMetrics } from './convert.js';
import { cpuMetric } from './cpu-metric.js';
import { targets } from './targets.js';
import { validateAutoscaler, validateAutoscalerStatus } from './validation.js';

const DEFAULT_CPU_UTILIZATION = 80;

const POLICIES = {
  scaleUp: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
  scaleDown: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
} as const;

/** Rules of HorizontalPodAutoscaler in `autoscaling/v2`, in which it is validated. */
export const horizontalPodAutoscalerV2 = (settings: KindSettings): KindDeclaration<HorizontalPodAutoscaler> => ({
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.metrics)) spec.metrics = [cpuMetric('target', DEFAULT_CPU_UTILIZATION)];
    if (spec.behavior) defaultBehavior(spec.behavior);
  },
  gatedFields: [gatedMember('HPAContainerMetrics', 'spec.metrics[].containerResource')],
  validate: ({ spec }, names, old) => validateAutoscaler(spec, old?.spec, names, settings.features),
  validateStatus: validateAutoscalerStatus,
  row: (object) => ({ ...commonCells(object), Targets: targets(object) }),
});

/** Rules of HorizontalPodAutoscaler in `autoscaling/v1`: its own defaults and table. */
export const horizontalPodAutoscalerV1: KindDeclaration<HorizontalPodAutoscalerV1> = {
  defaults(object, names) {
    if (hasKeptMetrics(object, names)) return;
    fill(ensureObject(object, 'spec'), 'targetCPUUtilizationPercentage', DEFAULT_CPU_UTILIZATION);
  },
  row: (object, _now, names) => ({
    ...commonCells(object),
    Targets: targets(withMetrics(object as ApiObject, names) as HorizontalPodAutoscaler),
  }),
};

const hasKeptMetrics = (object: HorizontalPodAutoscalerV1, names: Names): boolean =>
  object.metadata?.annotations?.[keptKey(names, 'metrics')] !== undefined;

function defaultBehavior(behavior: HorizontalPodAutoscalerBehavior): void {
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = ensureObject(behavior, direction);
    if (direction === 'scaleUp') fill(rules, 'stabilizationWindowSeconds', 0);
    fillZero(rules, 'selectPolicy', 'Max');
    rules.policies ??= POLICIES[direction].map((policy) => ({ ...policy }));
  }
}

const commonCells = (object: HorizontalPodAutoscaler) => ({
  Reference: `${object.spec?.scaleTargetRef?.kind ?? ''}/${object.spec?.scaleTargetRef?.name ?? ''}`,
  MinPods: String(object.spec?.minReplicas ?? UNSET),
  MaxPods: object.spec?.maxReplicas ?? 0,
  Replicas: object.status?.currentReplicas ?? 0,
});
