import type { FeatureGates, FeatureSpec, Metrics } from '@orch/runtime';

/** What the metric calls a stage; features that are no longer in any have none. */
const STAGES: Readonly<Record<FeatureSpec['stage'], string>> = {
  alpha: 'ALPHA',
  beta: 'BETA',
  ga: '',
  deprecated: 'DEPRECATED',
};

/** Tells which features are on, as component-base/metrics/prometheus/feature of release 1.27 does. */
export function featureMetric<Name extends string>(
  metrics: Metrics,
  features: Readonly<Record<Name, FeatureSpec>>,
  gates: Pick<FeatureGates<Name>, 'enabled'>,
): void {
  const enabled = metrics.gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature is on.',
    stability: 'BETA',
    labels: ['name', 'stage'] as const,
  });
  for (const [name, { stage }] of Object.entries<FeatureSpec>(features))
    enabled.with(name, STAGES[stage]).set(gates.enabled(name as Name) ? 1 : 0);
}
