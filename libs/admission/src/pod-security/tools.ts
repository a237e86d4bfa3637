import type { ApiObject, FieldError, Names } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { internalFailure } from '../failures.js';
import type { FollowedObjects, KnownObjects } from '../known-objects.js';
import type { PodSecurityConfiguration } from './configuration.js';
import { type PolicyLabels, policyOf, type ReadPolicy } from './namespace-policy.js';
import type { PodSecurityObserver } from './pod-security-metrics.js';

/** Dependencies that the checks of pods and of namespaces share. */
export interface PodSecurityTools {
  /** Names of the installation. */
  readonly names: Names;
  /** Configuration of the installation. */
  readonly configuration: PodSecurityConfiguration;
  /** Keys of the policy labels. */
  readonly labels: PolicyLabels;
  /** Reads namespaces and pods. */
  readonly objects: KnownObjects;
  /** Namespaces in the cache. */
  readonly namespaces: FollowedObjects;
  /** Counts evaluations and failures. */
  readonly observer: PodSecurityObserver;
}

/** The resource of namespaces. */
export const NAMESPACES = { group: '', resource: 'namespaces' };

/** Returns the policy of a namespace. */
export const policyIn = ({ configuration, labels }: PodSecurityTools, namespace: ApiObject | undefined): ReadPolicy =>
  policyOf(namespace?.metadata?.labels ?? {}, configuration.defaults, labels);

/** Adds an annotation to the audit event. */
export const note = ({ names }: PodSecurityTools, attributes: Attributes, key: string, value: string): void =>
  attributes.annotate(names.key('pod-security.orch.io/') + key, value);

/** Returns several errors as one text, as the reference does. */
export function textOfErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** Returns why a write is exempt from checks, by its namespace or user; undefined if it is not. */
export function exemptionOf(
  { configuration: { exemptNamespaces, exemptUsers } }: PodSecurityTools,
  { namespace, user }: Attributes,
): 'namespace' | 'user' | undefined {
  if (exemptNamespaces.has(namespace)) return 'namespace';
  return exemptUsers.has(user.name) ? 'user' : undefined;
}

/** Returns the 500 for a namespace that cannot be found. */
export const lookupFailure = (namespace: string) =>
  internalFailure(`failed to lookup namespace ${JSON.stringify(namespace)}`);
