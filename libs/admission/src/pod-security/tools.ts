import type { ApiObject, FieldError, Names } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { internalFailure } from '../failures.js';
import type { FollowedObjects, KnownObjects } from '../known-objects.js';
import type { PodSecurityConfiguration } from './configuration.js';
import { type PolicyLabels, policyOf, type ReadPolicy } from './namespace-policy.js';
import type { PodSecurityObserver } from './pod-security-metrics.js';

/** What judges of pods and of namespaces share. */
export interface PodSecurityTools {
  readonly names: Names;
  readonly configuration: PodSecurityConfiguration;
  readonly labels: PolicyLabels;
  readonly objects: KnownObjects;
  readonly namespaces: FollowedObjects;
  readonly observer: PodSecurityObserver;
}

export const NAMESPACES = { group: '', resource: 'namespaces' };

/** The policy of a namespace as it is there. */
export const policyIn = ({ configuration, labels }: PodSecurityTools, namespace: ApiObject | undefined): ReadPolicy =>
  policyOf(namespace?.metadata?.labels ?? {}, configuration.defaults, labels);

/** Notes something for the audit log. */
export const note = ({ names }: PodSecurityTools, attributes: Attributes, key: string, value: string): void =>
  attributes.annotate(names.key('pod-security.orch.io/') + key, value);

/** Several errors as the reference tells them in one text. */
export function textOfErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** @returns why nothing is looked at for who asks and where; undefined where it is */
export function exemptionOf(
  { configuration: { exemptNamespaces, exemptUsers } }: PodSecurityTools,
  { namespace, user }: Attributes,
): 'namespace' | 'user' | undefined {
  if (exemptNamespaces.has(namespace)) return 'namespace';
  return exemptUsers.has(user.name) ? 'user' : undefined;
}

/** 500, as it cannot be told what holds in a namespace. */
export const lookupFailure = (namespace: string) =>
  internalFailure(`failed to lookup namespace ${JSON.stringify(namespace)}`);
