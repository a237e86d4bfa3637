import { type ApiObject, type FieldError, invalidValue, tooLong } from '@orch/machinery';
import { objectAt } from './fields.js';

const MAX_KEY_LENGTH = 253;
const KEY = /^[-._a-zA-Z0-9]+$/;
const SHAPE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/**
 * Keys under which ConfigMaps and Secrets hold content; they become names of files.
 * @param old in an update, the object as it is stored: what it holds already may stay
 */
export function validateContentKeys(object: ApiObject, members: readonly string[], old?: ApiObject): FieldError[] {
  return members.flatMap((member) =>
    Object.keys(objectAt(object, member)).flatMap((key) => {
      if (Object.hasOwn(objectAt(old, member), key)) return [];
      const field = `${member}[${key}]`;
      if (key.length > MAX_KEY_LENGTH) return [tooLong(field, MAX_KEY_LENGTH)];
      if (!KEY.test(key)) return [invalidValue(field, key, SHAPE)];
      if (key === '.' || key.startsWith('..')) return [invalidValue(field, key, "may not be '.' or begin with '..'")];
      return [];
    }),
  );
}
