import { conversionsOf } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { resolveFeatures } from '@orch/runtime';
import {
  FEATURES,
  type Features,
  loadScheme,
  parseRuntimeConfig,
  RuntimeConfigError,
  type Scheme,
  type Selection,
  selectServed,
} from '@orch/schema';
import type { ServingOptions } from './options.js';

/**
 * What `--runtime-config` and the features leave to serve.
 * @throws RuntimeConfigError, see {@link selectServed}
 */
export function servedSelection(scheme: Scheme, runtimeConfig: readonly string[], features: Features): Selection {
  const conversions = conversionsOf(scheme);
  const wasServed = (apiVersion: string) => conversions.knowsAny(apiVersion);
  return selectServed(scheme.resources, parseRuntimeConfig(runtimeConfig), { features, wasServed });
}

/** What is wrong with options of a serving process that takes several of them to see. */
export function servingProblems(serving: Pick<ServingOptions, 'runtimeConfig' | 'naming' | 'featureGates'>): string[] {
  if (serving.runtimeConfig.length === 0) return [];
  try {
    const scheme = loadScheme(namesOf(serving.naming));
    servedSelection(scheme, serving.runtimeConfig, resolveFeatures(FEATURES, serving.featureGates));
    return [];
  } catch (error) {
    if (error instanceof RuntimeConfigError) return [`--runtime-config: ${error.message}`];
    throw error;
  }
}
