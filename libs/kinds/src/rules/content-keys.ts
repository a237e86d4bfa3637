import { type ApiObject, contentKeyErrors, type FieldError } from '@orch/machinery';
import { objectAt } from '../values/fields.js';
import { invalidEach } from './checks.js';

/**
 * Keys under which ConfigMaps and Secrets hold content; they become names of files.
 * @param old in an update, the object as it is stored: what it holds already may stay
 */
export function validateContentKeys(object: ApiObject, members: readonly string[], old?: ApiObject): FieldError[] {
  return members.flatMap((member) =>
    Object.keys(objectAt(object, member)).flatMap((key) => {
      if (Object.hasOwn(objectAt(old, member), key)) return [];
      return invalidEach(`${member}[${key}]`, key, contentKeyErrors(key));
    }),
  );
}
