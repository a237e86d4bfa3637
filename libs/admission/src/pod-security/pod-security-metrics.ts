import type { Metrics } from '@orch/runtime';
import type { Target } from '../attributes.js';
import { LATEST, type LevelVersion, versionText } from './level-version.js';
import type { PodSecurityMode } from './namespace-policy.js';

/** Newer releases than this one are counted together: namespaces may name any. */
const THIS_MINOR = 27;

/** Counts the evaluations of pods. */
export interface PodSecurityObserver {
  /** Counts a decision by a policy in a mode. */
  evaluated(decision: 'allow' | 'deny', policy: LevelVersion, mode: PodSecurityMode, target: Target): void;
  /** Counts an exempt request. */
  exempt(target: Target): void;
  /** Counts a failure to determine a policy. @param fatal whether there was no evaluation */
  failed(fatal: boolean, target: Target): void;
}

/** Returns an observer whose metrics have the names of the reference. */
export function podSecurityMetrics(metrics: Metrics): PodSecurityObserver {
  const request = ['request_operation', 'resource', 'subresource'] as const;
  const evaluations = metrics.counter({
    name: 'pod_security_evaluations_total',
    help: 'Number of evaluations of a pod security policy for a pod or pod template, without those that needed no check.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', ...request] as const,
  });
  const exemptions = metrics.counter({
    name: 'pod_security_exemptions_total',
    help: 'Number of requests that are exempt from pod security policies.',
    labels: request,
  });
  const errors = metrics.counter({
    name: 'pod_security_errors_total',
    help: 'Number of failures to determine the pod security policy in effect. Failures that are not fatal are handled by the most restrictive policy.',
    labels: ['fatal', ...request] as const,
  });
  return {
    evaluated: (decision, policy, mode, target) =>
      evaluations.with(decision, policy.level, versionLabel(policy), mode, ...labelsOf(target)).inc(),
    exempt: (target) => exemptions.with(...labelsOf(target)).inc(),
    failed: (fatal, target) => errors.with(String(fatal), ...labelsOf(target)).inc(),
  };
}

function versionLabel({ level, minor }: LevelVersion): string {
  if (minor === LATEST || level === 'privileged') return versionText(LATEST);
  return minor > THIS_MINOR ? 'future' : versionText(minor);
}

function labelsOf({ operation, resource, subresource }: Target): [string, string, string] {
  const label = resource === 'pods' ? 'pod' : resource === 'namespaces' ? 'namespace' : 'controller';
  return [operation.toLowerCase(), label, subresource];
}
