import { type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import type { Features } from '@orch/schema';
import { MAX_INT32, rangeText } from '../rules/checks.js';
import { equal } from '../values/equal.js';
import { type Json, numberAt, objectAt, objectsAt, textAt } from '../values/fields.js';
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

/** A pod runs as it was made: of its spec, little may change. */
export function validatePodUpdate(spec: unknown, stored: unknown, features: Features): FieldError[] {
  if (equal(spec, stored)) return [];
  const old = withPolicies(stored, features);
  for (const list of ['containers', 'initContainers']) {
    if (objectsAt(spec, list).length !== objectsAt(old, list).length) {
      return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    }
  }
  const deadline = validateDeadlineUpdate(spec, old);
  if (deadline.length > 0 && numberAt(spec, 'activeDeadlineSeconds') !== undefined) return deadline;
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
const isGated = (spec: unknown, features: Features): boolean =>
  features.enabled('PodSchedulingReadiness') && objectsAt(spec, 'schedulingGates').length > 0;

/** Other resources may not be of another quality. */
function validateQuality(spec: unknown, old: unknown): FieldError[] {
  const quality = qosClass(spec);
  return quality === qosClass(old) ? [] : [invalidValue('metadata', quality, 'Pod QoS is immutable')];
}

function validateDeadlineUpdate(spec: unknown, old: unknown): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [after, before] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(old, 'activeDeadlineSeconds')];
  if (after === undefined) {
    if (before === undefined) return [];
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  }
  if (after < 0 || after > MAX_INT32) {
    return [invalidValue(field, objectAt(spec).activeDeadlineSeconds, rangeText(0, MAX_INT32))];
  }
  if (before === undefined || after <= before) return [];
  return [invalidValue(field, after, 'must be less than or equal to previous value')];
}

function validateTolerationsUpdate(spec: unknown, old: unknown): FieldError[] {
  const kept = new Set(objectsAt(spec, 'tolerations').map(withoutSeconds));
  const lost = objectsAt(old, 'tolerations').some((toleration) => !kept.has(withoutSeconds(toleration)));
  if (!lost) return [];
  const text = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenField('spec.tolerations', text)];
}

/** A text that is equal for tolerations that are the same but for their time. */
const withoutSeconds = (toleration: Json): string =>
  JSON.stringify(['key', 'operator', 'value', 'effect'].map((name) => textAt(toleration, name)));

function validateGatesUpdate(spec: unknown, old: unknown): FieldError[] {
  const before = new Set(objectsAt(old, 'schedulingGates').map(({ name }) => name));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    if (before.has(gate.name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${textAt(gate, 'name')}'`;
    return [forbiddenField(`spec.schedulingGates[${index}].name`, text)];
  });
}

function validateRest(spec: unknown, old: unknown, features: Features): FieldError[] {
  const resizes = features.enabled('InPlacePodVerticalScaling');
  const fixed = fixedPart(spec, old, resizes, isGated(old, features));
  const before = objectAt(old);
  const changed = [...new Set([...Object.keys(fixed), ...Object.keys(before)])].filter(
    (name) => !equal(fixed[name], before[name]),
  );
  if (changed.length === 0) return [];
  const text = `pod updates may not change fields other than ${[...UPDATABLE, ...(resizes ? [RESOURCES] : [])].join(',')}`;
  return [forbiddenField('spec', `${text}\nchanged: ${changed.sort().join(', ')}`)];
}

/** The new spec with everything that may change as it was. */
function fixedPart(spec: unknown, old: unknown, resizes: boolean, gated: boolean): Json {
  const before = objectAt(old);
  const fixed: Json = { ...objectAt(spec) };
  for (const list of ['containers', 'initContainers']) {
    if (!Array.isArray(fixed[list])) continue;
    const olds = objectsAt(old, list);
    fixed[list] = objectsAt(spec, list).map((container, index) => ({ ...container, image: olds[index]?.image }));
  }
  if (resizes) fixed.containers = withComputeOf(objectsAt(fixed, 'containers'), objectsAt(old, 'containers'));
  const free = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations', ...(gated ? ['nodeSelector'] : [])];
  for (const name of free) fixed[name] = before[name];
  if (gated) fixed.affinity = withNodeAffinity(fixed.affinity, before.affinity);
  if ((numberAt(old, 'terminationGracePeriodSeconds') ?? 0) < 0 && fixed.terminationGracePeriodSeconds === 1) {
    fixed.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  return fixed;
}
