import { type FeatureSpec, Metrics } from '@orch/runtime';
import { expect, it } from 'vitest';
import { featureMetric } from './feature-metric.js';

it('tells of each feature its stage and whether it is on', async () => {
  const metrics = new Metrics();
  const features: Record<string, FeatureSpec> = {
    Old: { stage: 'ga', default: true },
    Fresh: { stage: 'beta', default: true },
    New: { stage: 'alpha', default: false },
    Gone: { stage: 'deprecated', default: false },
  };
  featureMetric(metrics, features, { enabled: (name) => name !== 'New' && name !== 'Gone' });
  const { body } = await metrics.text();
  expect(body.match(/^kubernetes_feature_enabled.*$/gm)).toEqual([
    'kubernetes_feature_enabled{name="Old",stage=""} 1',
    'kubernetes_feature_enabled{name="Fresh",stage="BETA"} 1',
    'kubernetes_feature_enabled{name="New",stage="ALPHA"} 0',
    'kubernetes_feature_enabled{name="Gone",stage="DEPRECATED"} 0',
  ]);
});
