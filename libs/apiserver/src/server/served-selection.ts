import { checkAuthorization } from '@orch/access';
import { checkAdmission } from '@orch/admission-host';
import { fairnessLimits } from '@orch/fairness';
import { conversionsOf } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { checkStorageVersions } from '@orch/resources';
import { resolveFeatures } from '@orch/runtime';
import {
  type EnabledResources,
  FEATURES,
  type Features,
  loadScheme,
  parseRuntimeConfig,
  RuntimeConfigError,
  type Scheme,
  selectServed,
} from '@orch/schema';
import type { ServingOptions } from './options.js';

/**
 * Returns the resources that `--runtime-config` and the features leave to serve.
 * @throws RuntimeConfigError, see {@link selectServed}; also where namespaces are not among them, which every other
 * object needs
 */
export function servedSelection(
  scheme: Scheme,
  runtimeConfig: readonly string[],
  features: Features,
): EnabledResources {
  const conversions = conversionsOf(scheme);
  const wasServed = (apiVersion: string) => conversions.knowsAny(apiVersion);
  const selection = selectServed(scheme.resources, parseRuntimeConfig(runtimeConfig), { features, wasServed });
  if (!selection.resources.some(({ group, resource }) => group === '' && resource === 'namespaces')) {
    throw new RuntimeConfigError('v1/namespaces must be served: what lies in a namespace cannot be written without');
  }
  return selection;
}

/** Returns errors of a serving process's options that only several of them together reveal. */
export function servingProblems(options: Omit<ServingOptions, 'certDir'>): string[] {
  return [
    ...selectionRefusals(options),
    ...refusal('', () => checkAuthorization(options)),
    ...refusal('', () => checkAdmission(options)),
    ...refusal('', () => fairnessLimits(options, resolveFeatures(FEATURES, options.featureGates))),
  ];
}

function selectionRefusals({
  naming,
  featureGates,
  runtimeConfig,
  storageVersions,
}: Pick<ServingOptions, 'naming' | 'featureGates' | 'runtimeConfig' | 'storageVersions'>): string[] {
  if (runtimeConfig.length === 0 && storageVersions.length === 0) return [];
  const scheme = loadScheme(namesOf(naming));
  return [
    ...refusal('--runtime-config: ', () =>
      servedSelection(scheme, runtimeConfig, resolveFeatures(FEATURES, featureGates)),
    ),
    ...refusal('--storage-versions: ', () => checkStorageVersions(storageVersions, scheme.resources)),
  ];
}

/** Returns the error that a check throws as a message, after the option unless the message names it itself. */
function refusal(option: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [`${option}${error instanceof Error ? error.message : String(error)}`];
  }
}
