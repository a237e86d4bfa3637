import { type FieldError, forbiddenField, type Names } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import { equal } from '../values/equal.js';
import { isMirror } from './annotation-validation.js';

const FIELD = 'spec.ephemeralContainers';

/** Ephemeral containers stay as they were added, and what a node runs by itself gets none. */
export function validateEphemeralUpdate({ spec }: Pod, old: Pod, names: Names): FieldError[] {
  // The object itself, as the reference writes it.
  if (isMirror(old, names)) return [forbiddenField('[]', 'static pods do not support ephemeral containers')];
  const now = new Map((spec?.ephemeralContainers ?? []).map((container) => [container.name, container]));
  return (old.spec?.ephemeralContainers ?? []).flatMap((container) => {
    const same = now.get(container.name);
    const name = JSON.stringify(container.name);
    if (!same) return [forbiddenField(FIELD, `existing ephemeral containers ${name} may not be removed\n`)];
    return equal(same, container)
      ? []
      : [forbiddenField(FIELD, `existing ephemeral containers ${name} may not be changed\n`)];
  });
}
