import { type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { isObject, type Json, numberAt, objectAt, objectsAt, textAt } from '../values/fields.js';

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** A pod runs as it was made: of its spec, little may change. */
export function validatePodUpdate(spec: unknown, old: unknown): FieldError[] {
  if (equal(spec, old)) return [];
  for (const list of ['containers', 'initContainers']) {
    if (objectsAt(spec, list).length !== objectsAt(old, list).length) {
      return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    }
  }
  const deadline = validateDeadlineUpdate(spec, old);
  return deadline.length > 0
    ? deadline
    : [...validateTolerationsUpdate(spec, old), ...validateGatesUpdate(spec, old), ...validateRest(spec, old)];
}

function validateDeadlineUpdate(spec: unknown, old: unknown): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [after, before] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(old, 'activeDeadlineSeconds')];
  if (before === undefined) return [];
  if (after === undefined) return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  return after <= before ? [] : [invalidValue(field, after, 'must be less than or equal to previous value')];
}

function validateTolerationsUpdate(spec: unknown, old: unknown): FieldError[] {
  const kept = new Set(objectsAt(spec, 'tolerations').map(withoutSeconds));
  const lost = objectsAt(old, 'tolerations').some((toleration) => !kept.has(withoutSeconds(toleration)));
  if (!lost) return [];
  const text = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenField('spec.tolerations', text)];
}

/** A text that is equal for tolerations that are the same but for their time. */
const withoutSeconds = ({ tolerationSeconds: _seconds, ...toleration }: Json): string =>
  JSON.stringify(Object.entries(toleration).sort());

function validateGatesUpdate(spec: unknown, old: unknown): FieldError[] {
  const before = new Set(objectsAt(old, 'schedulingGates').map(({ name }) => name));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    if (before.has(gate.name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${textAt(gate, 'name')}'`;
    return [forbiddenField(`spec.schedulingGates[${index}].name`, text)];
  });
}

function validateRest(spec: unknown, old: unknown): FieldError[] {
  const fixed = fixedPart(spec, old);
  const before = objectAt(old);
  const changed = [...new Set([...Object.keys(fixed), ...Object.keys(before)])].filter(
    (name) => !equal(fixed[name], before[name]),
  );
  if (changed.length === 0) return [];
  const text = `pod updates may not change fields other than ${UPDATABLE.join(',')}`;
  return [forbiddenField('spec', `${text}\nchanged: ${changed.sort().join(', ')}`)];
}

/** The new spec with everything that may change as it was. */
function fixedPart(spec: unknown, old: unknown): Json {
  const before = objectAt(old);
  const fixed: Json = { ...objectAt(spec) };
  for (const list of ['containers', 'initContainers']) {
    if (!Array.isArray(fixed[list])) continue;
    const olds = objectsAt(old, list);
    fixed[list] = objectsAt(spec, list).map((container, index) => ({ ...container, image: olds[index]?.image }));
  }
  const gated = objectsAt(old, 'schedulingGates').length > 0;
  const free = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations', ...(gated ? ['nodeSelector'] : [])];
  for (const name of free) fixed[name] = before[name];
  if (gated) fixed.affinity = withNodeAffinity(fixed.affinity, before.affinity);
  if ((numberAt(old, 'terminationGracePeriodSeconds') ?? 0) < 0 && fixed.terminationGracePeriodSeconds === 1) {
    fixed.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  return fixed;
}

/** A gated pod may still be told more of the nodes it wants. */
function withNodeAffinity(affinity: unknown, before: unknown): unknown {
  const { nodeAffinity: _after, ...rest } = objectAt(affinity);
  const kept = objectAt(before).nodeAffinity;
  const whole = { ...rest, ...(kept !== undefined && { nodeAffinity: kept }) };
  return isObject(before) || Object.keys(whole).length > 0 ? whole : undefined;
}

/** Ephemeral containers stay as they were added. */
export function validateEphemeralUpdate(spec: unknown, old: unknown): FieldError[] {
  const now = new Map(objectsAt(spec, 'ephemeralContainers').map((container) => [container.name, container]));
  return objectsAt(old, 'ephemeralContainers').flatMap((container) => {
    const same = now.get(container.name);
    const name = JSON.stringify(container.name);
    if (!same) return [forbiddenField(FIELD, `existing ephemeral containers ${name} may not be removed\n`)];
    return equal(same, container)
      ? []
      : [forbiddenField(FIELD, `existing ephemeral containers ${name} may not be changed\n`)];
  });
}

const FIELD = 'spec.ephemeralContainers';
