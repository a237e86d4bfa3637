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
    help: 'Times that a policy was applied to a pod or a template of pods, without those of which nothing was looked at.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', ...request] as const,
  });
  const exemptions = metrics.counter({
    name: 'pod_security_exemptions_total',
    help: 'Requests that no policy was applied to, as they are exempt.',
    labels: request,
  });
  const errors = metrics.counter({
    name: 'pod_security_errors_total',
    help: 'Failures to find out which policy holds; what is not fatal was judged most strictly instead.',
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
