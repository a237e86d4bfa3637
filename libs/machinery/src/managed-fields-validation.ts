import { type FieldError, invalidValue, tooLong } from './field-error.js';
import type { JsonObject } from './object.js';

/** Maximum bytes of a field manager's name. */
const MANAGER_MAX_BYTES = 128;
/** Unprintable characters; of spaces only the plain one is printable. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
/** A name that is valid, as nearly all are: looking up the classes of each character takes far longer. */
const PLAIN = new RegExp(`^[ -~]{0,${MANAGER_MAX_BYTES}}$`);
/** Maximum bytes of a subresource's name in an entry. */
const SUBRESOURCE_MAX_BYTES = 256;

/** Validates the name of a field manager, which may be empty. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  if (PLAIN.test(manager)) return [];
  if (Buffer.byteLength(manager) > MANAGER_MAX_BYTES) return [tooLong(path, MANAGER_MAX_BYTES)];
  return Array.from(manager.matchAll(UNPRINTABLE), ({ 0: character, index }) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const position = Buffer.byteLength(manager.slice(0, index));
    return invalidValue(path, manager, `invalid character U+${code} (at position ${position})`);
  });
}

/** Validates the managers and operations of entries; their fields are checked by the field manager. */
export function* validateManagedFields(entries: readonly JsonObject[], path: string): Iterable<FieldError> {
  for (const [i, { manager, operation, fieldsType, subresource }] of entries.entries()) {
    const at = `${path}[${i}]`;
    if (operation !== 'Apply' && operation !== 'Update') {
      yield invalidValue(`${at}.operation`, operation, 'must be `Apply` or `Update`');
    }
    if (fieldsType && fieldsType !== 'FieldsV1')
      yield invalidValue(`${at}.fieldsType`, fieldsType, 'must be `FieldsV1`');
    if (typeof manager === 'string') yield* validateFieldManager(manager, `${at}.manager`);
    if (typeof subresource === 'string' && Buffer.byteLength(subresource) > SUBRESOURCE_MAX_BYTES) {
      yield tooLong(`${at}.subresource`, SUBRESOURCE_MAX_BYTES);
    }
  }
}
