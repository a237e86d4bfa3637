import type { JsonObject, JsonValue } from '@orch/machinery';
import { withManagedFields } from '../managed/metadata.js';
import type { PathElement } from '../paths/path-element.js';
import type { Type } from '../types/type.js';
import { eachChild } from '../values/everything.js';

/**
 * Every place of an object that somebody can own by its type, numbered: a place before those below it, and each level in
 * the order of `fieldsV1`.
 */
export interface Enumeration {
  /** How each place is found below the one that it is in. */
  readonly elements: readonly PathElement[];
  /** For each place, the number of the first one that is not below it. */
  readonly ends: readonly number[];
  /** Tells enumerations apart: how many places there are, and a checksum of all of them. */
  readonly fingerprint: string;
}

/** The places of an object, those of its `managedFields` left out. */
export function enumerate(type: Type, object: JsonObject): Enumeration {
  const elements: PathElement[] = [];
  const ends: number[] = [];
  const enter = (below: Type, value: JsonValue) =>
    eachChild(below, value, (element, childType, child) => {
      const place = elements.push(element) - 1;
      ends.push(0);
      if (typeof child === 'object') enter(childType, child);
      ends[place] = elements.length;
    });
  enter(type, withManagedFields(object, undefined));
  return { elements, ends, fingerprint: fingerprintOf(elements, ends) };
}

/** Two mixes of 32 bits over the checksums of the elements and how they lie within each other. */
function fingerprintOf(elements: readonly PathElement[], ends: readonly number[]): string {
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let place = 0; place < elements.length; place++) {
    const { checksum, text } = elements[place] as PathElement;
    const end = ends[place] as number;
    a = Math.imul(a ^ checksum, 0x01000193) ^ (a >>> 15);
    a = Math.imul(a ^ end, 0x01000193);
    b = Math.imul(b ^ (checksum + text.length), 0x85ebca6b) ^ (b >>> 13);
    b = Math.imul(b ^ end, 0xc2b2ae35);
  }
  return `${elements.length.toString(36)}.${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}
