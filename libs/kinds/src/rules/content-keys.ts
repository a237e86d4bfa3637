import { contentKeyErrors, type FieldError, isContentKey } from '@orch/machinery';
import { type NameOf, objectAt } from '../values/fields.js';
import { invalidEach } from './checks.js';

/**
 * Keys under which ConfigMaps and Secrets hold content; they become names of files.
 * @param old in an update, the object as it is stored: what it holds already may stay
 */
export function validateContentKeys<T extends object>(object: T, members: readonly NameOf<T>[], old?: T): FieldError[] {
  return members.flatMap((member) => {
    const [contents, before] = [objectAt(object, member), objectAt(old, member)];
    const wrong = Object.keys(contents).filter((key) => !isContentKey(key) && !Object.hasOwn(before, key));
    return wrong.flatMap((key) => invalidEach(`${member}[${key}]`, key, contentKeyErrors(key)));
  });
}
