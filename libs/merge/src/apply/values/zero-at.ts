import type { JsonValue } from '@orch/machinery';
import type { Type } from '../types/type.js';
import { typeOfField } from './everything.js';

/**
 * Value that a client with declared types writes for an unset field; undefined if it omits the field. Shared.
 * @param keys the path of the field: names of members, and anything for the items of lists
 */
export function zeroAt(type: Type, keys: readonly string[]): JsonValue | undefined {
  let [at, zero]: [Type, JsonValue | undefined] = [type, undefined];
  for (const key of keys) {
    const field = at.map?.fields.get(key);
    zero = field?.zero;
    const below: Type | undefined = at.map ? typeOfField(at.map, field) : at.list?.items;
    if (below === undefined) return undefined;
    at = below;
  }
  return zero;
}
