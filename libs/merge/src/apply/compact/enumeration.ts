import type { JsonObject } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { withManagedFields } from '../managed/metadata.js';
import { SELF } from '../paths/field-set.js';
import type { Type } from '../types/type.js';
import { everythingBelow } from '../values/everything.js';

/**
 * Every place of an object that somebody can own by its type, numbered: a place before those below it, and each level in
 * the order of `fieldsV1`.
 */
export interface Enumeration {
  /** Path elements of the places, as texts. */
  readonly texts: readonly string[];
  /** For each place, the number of the first one that is not below it. */
  readonly ends: readonly number[];
  /** Tells enumerations apart, but for one in 2^64: how many places there are, and a checksum of all of them. */
  readonly fingerprint: string;
}

/** The places of an object, those of its `managedFields` left out. */
export function enumerate(type: Type, object: JsonObject): Enumeration {
  const texts: string[] = [];
  const ends: number[] = [];
  const trie = everythingBelow(type, withManagedFields(object, undefined))?.trie(true);
  if (trie) addLevel(trie, texts, ends);
  return { texts, ends, fingerprint: fingerprintOf(texts, ends) };
}

function addLevel(level: JsonObject, texts: string[], ends: number[]): void {
  for (const text in level) {
    if (text === SELF) continue;
    const place = texts.length;
    texts.push(text);
    ends.push(0);
    const below = level[text];
    if (isObject(below)) addLevel(below, texts, ends);
    ends[place] = texts.length;
  }
}

/** FNV-1a in two halves of 32 bits that begin differently, over the texts and how they lie within each other. */
function fingerprintOf(texts: readonly string[], ends: readonly number[]): string {
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let place = 0; place < texts.length; place++) {
    const text = texts[place] as string;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x01000193);
      b = Math.imul(b ^ unit, 0x85ebca6b);
    }
    const end = ends[place] as number;
    a = Math.imul(a ^ (end + 0x10000), 0x01000193);
    b = Math.imul(b ^ (end + 0x20000), 0x85ebca6b) ^ (b >>> 15);
  }
  return `${texts.length.toString(36)}.${(a >>> 0).toString(36)}${(b >>> 0).toString(36).padStart(7, '0')}`;
}
