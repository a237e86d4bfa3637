import type { FeatureName } from '@orch/schema';
import { type KindSettings, STANDARD_SETTINGS } from '../rules/settings.js';

/** An installation that has turned features on or off. */
export const withFeatures = (features: Partial<Record<FeatureName, boolean>>): KindSettings => ({
  ...STANDARD_SETTINGS,
  features: { enabled: (name) => features[name] ?? STANDARD_SETTINGS.features.enabled(name) },
});
