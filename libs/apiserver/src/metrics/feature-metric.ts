import type { FeatureGates, FeatureSpec, Metrics } from '@orch/runtime';

/** Stages as the metric names them; the label is empty for features that are in no stage any more. */
const STAGES: Readonly<Record<FeatureSpec['stage'], string>> = {
  alpha: 'ALPHA',
  beta: 'BETA',
  ga: '',
  deprecated: 'DEPRECATED',
};

/** Reports which features are on, as component-base/metrics/prometheus/feature of release 1.27 does. */
export function featureMetric<Name extends string>(
  metrics: Metrics,
  features: Readonly<Record<Name, FeatureSpec>>,
  gates: Pick<FeatureGates<Name>, 'enabled'>,
): void {
  const enabled = metrics.gauge({
    name: 'kubernetes_feature_enabled',
    help: '1 if a feature is on, 0 if it is off.',
    stability: 'BETA',
    labels: ['name', 'stage'] as const,
  });
  for (const [name, { stage }] of Object.entries<FeatureSpec>(features))
    enabled.with(name, STAGES[stage]).set(gates.enabled(name as Name) ? 1 : 0);
}
