import { type ApiObject, forbidden } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import type { Attributes } from '../attributes.js';
import { podView, type Violation } from './check.js';
import { detailsOf, findingsOn } from './evaluator.js';
import { LATEST, policyText } from './level-version.js';
import { isPrivileged, type PodSecurityMode, type Policy, type ReadPolicy } from './namespace-policy.js';
import { isSignificant } from './pod-changes.js';
import { type PodTemplate, templateOf } from './pod-templates.js';
import {
  exemptionOf,
  lookupFailure,
  NAMESPACES,
  note,
  type PodSecurityTools,
  policyIn,
  textOfErrors,
} from './tools.js';

/**
 * Checks a pod against the policy of its namespace.
 * @throws StatusError 403 for a pod that violates it; 500 if the namespace cannot be found
 */
export function judgePod(tools: PodSecurityTools, attributes: Attributes): void | Promise<void> {
  if (isExempt(tools, attributes)) return undefined;
  return withNamespace(tools, attributes, (namespace) => {
    if (!namespace) {
      tools.observer.failed(true, attributes);
      const failure = lookupFailure(attributes.namespace);
      note(tools, attributes, 'error', failure.message);
      throw failure;
    }
    const read = policyIn(tools, namespace);
    if (read.errors.length === 0 && isPrivileged(read.policy)) {
      tools.observer.evaluated('allow', read.policy.enforce, 'enforce', attributes);
      return note(tools, attributes, 'enforce-policy', policyText({ level: 'privileged', minor: LATEST }));
    }
    const pod = asTemplate(attributes.object);
    const isUpdate = attributes.operation === 'UPDATE';
    if (isUpdate && !isSignificant(pod.spec, asTemplate(attributes.oldObject).spec)) return undefined;
    return judge(tools, attributes, read, pod, true);
  });
}

/** Checks a pod template, which is only audited and warned about, never refused. */
export function judgeTemplate(tools: PodSecurityTools, attributes: Attributes): void | Promise<void> {
  if (isExempt(tools, attributes)) return undefined;
  return withNamespace(tools, attributes, (namespace) => {
    if (!namespace) {
      tools.observer.failed(true, attributes);
      const why = `namespaces ${JSON.stringify(attributes.namespace)} not found`;
      return note(
        tools,
        attributes,
        'error',
        `failed to lookup namespace ${JSON.stringify(attributes.namespace)}: ${why}`,
      );
    }
    const read = policyIn(tools, namespace);
    const { audit, warn } = read.policy;
    if (read.errors.length === 0 && audit.level === 'privileged' && warn.level === 'privileged') return undefined;
    const template = attributes.object && templateOf(attributes, attributes.object);
    return template && judge(tools, attributes, read, template, false);
  });
}

const asTemplate = (pod: ApiObject | undefined): PodTemplate => ({
  spec: (pod?.spec ?? {}) as PodSpec,
  ...(pod?.metadata && { metadata: pod.metadata }),
});

function isExempt(tools: PodSecurityTools, attributes: Attributes): boolean {
  const reason = exemptionOf(tools, attributes);
  if (reason !== undefined) exempt(tools, attributes, reason);
  return reason !== undefined;
}

function exempt(tools: PodSecurityTools, attributes: Attributes, reason: string): void {
  tools.observer.exempt(attributes);
  note(tools, attributes, 'exempt', reason);
}

/**
 * Calls `work` with the namespace. A namespace that is not cached is read, as another process may just have created it.
 */
function withNamespace(
  { objects, namespaces }: PodSecurityTools,
  { namespace }: Attributes,
  work: (namespace: ApiObject | undefined) => void,
): void | Promise<void> {
  const known = namespaces.get('', namespace);
  return known ? work(known) : objects.read(NAMESPACES, '', namespace).then(work);
}

function judge(
  tools: PodSecurityTools,
  attributes: Attributes,
  { policy, errors }: ReadPolicy,
  { metadata, spec }: PodTemplate,
  enforces: boolean,
): void {
  const { names, observer, configuration } = tools;
  if (configuration.exemptRuntimeClasses.has(spec.runtimeClassName ?? '')) {
    exempt(tools, attributes, 'runtimeClass');
    return;
  }
  if (errors.length > 0) {
    note(tools, attributes, 'error', `Failed to parse policy: ${textOfErrors(errors)}`);
    observer.failed(false, attributes);
  }
  const pod = podView(names, metadata, spec);
  const findings = remembered(policy, (mode) => findingsOn(pod, policy[mode]));
  const against = (mode: PodSecurityMode) => `PodSecurity "${policyText(policy[mode])}": ${detailsOf(findings(mode))}`;
  const isDenied = enforces && findings('enforce').length > 0;
  if (enforces) {
    note(tools, attributes, 'enforce-policy', policyText(policy.enforce));
    observer.evaluated(isDenied ? 'deny' : 'allow', policy.enforce, 'enforce', attributes);
  }
  if (findings('audit').length > 0) {
    note(tools, attributes, 'audit-violations', `would violate ${against('audit')}`);
    observer.evaluated('deny', policy.audit, 'audit', attributes);
  }
  if (isDenied) {
    const { group, resource, name, object } = attributes;
    throw forbidden({ group, resource }, name || (object?.metadata?.name ?? ''), `violates ${against('enforce')}`);
  }
  if (findings('warn').length === 0) return;
  attributes.warn(`would violate ${against('warn')}`);
  observer.evaluated('deny', policy.warn, 'warn', attributes);
}

/** Returns a function that evaluates each distinct policy once. */
function remembered(
  policy: Policy,
  find: (mode: PodSecurityMode) => readonly Violation[],
): (mode: PodSecurityMode) => readonly Violation[] {
  const known = new Map<string, readonly Violation[]>();
  return (mode) => {
    const key = policyText(policy[mode]);
    const found = known.get(key) ?? find(mode);
    known.set(key, found);
    return found;
  };
}
