import { invalid } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { ExistingPods } from './existing-pods.js';
import { compareLevels, isSame, policyText } from './level-version.js';
import { isPrivileged, isSamePolicy, isSet, type PodSecurityMode, type Policy } from './namespace-policy.js';
import { type PodSecurityTools, policyIn, textOfErrors } from './tools.js';

/** Longest time for checking existing pods, ms. */
const LOOK_MS = 1_000;
const PODS = { group: '', resource: 'pods' };

/**
 * Validates the policy labels of a namespace, and warns about existing pods that violate a stricter policy.
 * @throws StatusError 422 for invalid labels, unless they had the same errors before
 */
export function judgeNamespace(tools: PodSecurityTools, attributes: Attributes): void | Promise<void> {
  const { object, oldObject, operation, namespace, name, deadline } = attributes;
  const { policy, errors } = policyIn(tools, object);
  const old = operation === 'UPDATE' ? policyIn(tools, oldObject) : undefined;
  const isOld = old && textOfErrors(old.errors) === textOfErrors(errors);
  if (errors.length > 0 && !isOld) throw invalid('Namespace', '', name, errors);
  if (old && !isTighter(policy, old.policy)) return undefined;
  if (tools.configuration.exemptNamespaces.has(namespace)) return warnExempt(tools, attributes, policy);
  return old && warnOfPods(tools, attributes, policy, deadline);
}

function isTighter({ enforce }: Policy, { enforce: old }: Policy): boolean {
  if (isSame(enforce, old) || enforce.level === 'privileged') return false;
  return enforce.minor !== old.minor || compareLevels(enforce.level, old.level) > 0;
}

/** Warns that the policy labels of an exempt namespace have no effect. */
function warnExempt({ configuration, labels: keys }: PodSecurityTools, attributes: Attributes, policy: Policy): void {
  if (isPrivileged(policy) || isSamePolicy(policy, configuration.defaults)) return;
  const labels = attributes.object?.metadata?.labels ?? {};
  const isSaid = (mode: PodSecurityMode) => isSet(labels, keys[mode].level) || isSet(labels, keys[mode].version);
  const modes: readonly PodSecurityMode[] = ['enforce', 'audit', 'warn'];
  const said = modes.filter((mode) => policy[mode].level !== 'privileged' && isSaid(mode));
  const text = said.map((mode) => `${mode}=${policyText(policy[mode])}`).join(', ');
  const namespace = JSON.stringify(attributes.name);
  attributes.warn(`namespace ${namespace} is exempt from Pod Security, and the policy (${text}) will be ignored`);
}

async function warnOfPods(
  { names, objects, configuration }: PodSecurityTools,
  attributes: Attributes,
  { enforce }: Policy,
  deadline: number,
): Promise<void> {
  const now = performance.now();
  const { exemptRuntimeClasses } = configuration;
  const { name: namespace } = attributes;
  const until = now + Math.min(LOOK_MS, (deadline - now) / 2);
  const pods = new ExistingPods({ names, namespace, enforce, exemptRuntimeClasses, until });
  for (const warning of await pods.warnings(objects.list(PODS, namespace))) attributes.warn(warning);
}
