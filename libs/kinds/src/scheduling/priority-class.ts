import { type FieldError, forbiddenField } from '@orch/machinery';
import type { PriorityClass } from '@orch/schema/types/scheduling/v1';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validatePreemptionPolicy } from '../rules/preemption-policy.js';
import { equal } from '../values/equal.js';

const SYSTEM_PREFIX = 'system-';
const HIGHEST_OF_USERS = 1_000_000_000;
/** Classes that the installation brings along, with their values. */
const OF_THE_SYSTEM = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

/** Rules of PriorityClass; value and preemption policy are immutable. */
export const priorityClass: KindDeclaration<PriorityClass> = {
  generation: { first: 1, rises: () => false },
  validateCreate: validatePriority,
  validateUpdate: (object, old) => [
    ...(equal(object.value ?? 0, old.value ?? 0) ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
    ...immutableField(object, old, 'preemptionPolicy'),
  ],
  row: (object) => ({ Value: object.value ?? 0, 'Global-Default': object.globalDefault === true }),
};

function validatePriority(object: PriorityClass): FieldError[] {
  const name = object.metadata?.name ?? '';
  const errors = validatePreemptionPolicy('preemptionPolicy', object.preemptionPolicy);
  if (name.startsWith(SYSTEM_PREFIX)) {
    const wrong = systemClassError(name, object);
    const text = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${wrong}`;
    return wrong === undefined ? errors : [forbiddenField('metadata.name', text), ...errors];
  }
  if ((object.value ?? 0) <= HIGHEST_OF_USERS) return errors;
  const text = `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`;
  return [forbiddenField('value', text), ...errors];
}

function systemClassError(name: string, object: PriorityClass): string | undefined {
  const value = OF_THE_SYSTEM.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if ((object.value ?? 0) !== value) return `value of ${name} PriorityClass must be ${value}`;
  return object.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
