import { type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import type { Features } from '@orch/schema';
import type { PodSpec, Toleration } from '@orch/schema/types/core/v1';
import { MAX_INT32, rangeText } from '../rules/checks.js';
import { equal } from '../values/equal.js';
import { countOf, type NameOf, numberOf } from '../values/fields.js';
import { validateGatedUpdate, withNodeAffinity } from './gated-update-validation.js';
import { withComputeOf, withPolicies } from './resizing.js';
import { qosClass } from './resources.js';

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

const RESOURCES = '`spec.containers[*].resources` (for CPU/memory only)';

/** Checks that an update changes only the few mutable fields of a pod's spec. */
export function validatePodUpdate(
  spec: PodSpec | undefined,
  stored: PodSpec | undefined,
  features: Features,
): FieldError[] {
  if (equal(spec, stored)) return [];
  const old = withPolicies(stored, features);
  for (const list of ['containers', 'initContainers'] as const) {
    if ((spec?.[list] ?? []).length !== (old?.[list] ?? []).length) {
      return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    }
  }
  const deadline = validateDeadlineUpdate(spec, old);
  if (deadline.length > 0 && numberOf(spec?.activeDeadlineSeconds) !== undefined) return deadline;
  return [
    ...deadline,
    ...validateTolerationsUpdate(spec, old),
    ...validateGatesUpdate(spec, old),
    ...(isGated(old, features) ? validateGatedUpdate(spec, old) : []),
    ...(features.enabled('InPlacePodVerticalScaling') ? validateQuality(spec, old) : []),
    ...validateRest(spec, old, features),
  ];
}

/** Whether gates hold the pod back, so that more of it may change. */
const isGated = (spec: PodSpec | undefined, features: Features): boolean =>
  features.enabled('PodSchedulingReadiness') && (spec?.schedulingGates ?? []).length > 0;

/** Other resources may not be of another quality. */
function validateQuality(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  const quality = qosClass(spec);
  return quality === qosClass(old) ? [] : [invalidValue('metadata', quality, 'Pod QoS is immutable')];
}

function validateDeadlineUpdate(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [after, before] = [numberOf(spec?.activeDeadlineSeconds), numberOf(old?.activeDeadlineSeconds)];
  if (after === undefined) {
    if (before === undefined) return [];
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  }
  if (after < 0 || after > MAX_INT32) {
    return [invalidValue(field, spec?.activeDeadlineSeconds, rangeText(0, MAX_INT32))];
  }
  if (before === undefined || after <= before) return [];
  return [invalidValue(field, after, 'must be less than or equal to previous value')];
}

function validateTolerationsUpdate(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  const kept = new Set((spec?.tolerations ?? []).map(withoutSeconds));
  const lost = (old?.tolerations ?? []).some((toleration) => !kept.has(withoutSeconds(toleration)));
  if (!lost) return [];
  const text = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenField('spec.tolerations', text)];
}

/** A text that is equal for tolerations that are the same but for their time. */
const withoutSeconds = ({ key, operator, value, effect }: Toleration): string =>
  JSON.stringify([key, operator, value, effect].map((text) => text ?? ''));

function validateGatesUpdate(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  const before = new Set((old?.schedulingGates ?? []).map(({ name }) => name));
  return (spec?.schedulingGates ?? []).flatMap((gate, index) => {
    if (before.has(gate.name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${gate.name ?? ''}'`;
    return [forbiddenField(`spec.schedulingGates[${index}].name`, text)];
  });
}

function validateRest(spec: PodSpec | undefined, old: PodSpec | undefined, features: Features): FieldError[] {
  const resizes = features.enabled('InPlacePodVerticalScaling');
  const fixed = fixedPart(spec, old, resizes, isGated(old, features));
  const before = old ?? {};
  const changed = [...new Set([...namesOf(fixed), ...namesOf(before)])].filter(
    (name) => !equal(fixed[name], before[name]),
  );
  if (changed.length === 0) return [];
  const text = `pod updates may not change fields other than ${[...UPDATABLE, ...(resizes ? [RESOURCES] : [])].join(',')}`;
  return [forbiddenField('spec', `${text}\nchanged: ${changed.sort().join(', ')}`)];
}

/** Members of a spec that it has. */
const namesOf = (spec: PodSpec): readonly NameOf<PodSpec>[] => Object.keys(spec) as NameOf<PodSpec>[];

/** The new spec with everything that may change as it was. */
function fixedPart(spec: PodSpec | undefined, old: PodSpec | undefined, resizes: boolean, gated: boolean): PodSpec {
  const before = old ?? {};
  const fixed: PodSpec = { ...spec };
  for (const list of ['containers', 'initContainers'] as const) {
    fixed[list] = fixed[list]?.map((container, index) => ({ ...container, image: before[list]?.[index]?.image }));
  }
  if (resizes) fixed.containers = withComputeOf(fixed.containers ?? [], before.containers ?? []);
  fixed.activeDeadlineSeconds = before.activeDeadlineSeconds;
  fixed.schedulingGates = before.schedulingGates;
  fixed.tolerations = before.tolerations;
  if (gated) {
    fixed.nodeSelector = before.nodeSelector;
    fixed.affinity = withNodeAffinity(fixed.affinity, before.affinity);
  }
  if (countOf(before.terminationGracePeriodSeconds) < 0 && fixed.terminationGracePeriodSeconds === 1) {
    fixed.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  return fixed;
}
