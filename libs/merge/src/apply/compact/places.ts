import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { SELF } from '../paths/field-set.js';
import type { PathElement } from '../paths/path-element.js';
import { Bits } from './bits.js';
import type { Enumeration } from './enumeration.js';

/**
 * The places that a written set has, and those only; undefined when it has others, or is not written in the one form in
 * which it would be written again.
 */
export function placesOf({ elements, ends }: Enumeration, fieldsV1: JsonValue | undefined): Bits | undefined {
  const bits = Bits.room(elements.length);
  /** Enters what is owned among the places from `first` to `end`. */
  const enter = (level: JsonObject, first: number, end: number): boolean => {
    let place = first;
    for (const text in level) {
      if (text === SELF) continue;
      while (place < end && elements[place]?.text !== text) place = ends[place] as number;
      const content = level[text];
      if (place >= end || !isObject(content)) return false;
      const form = formOf(content);
      if (form === undefined) return false;
      if (form !== 'below') bits.add(place);
      if (form !== 'leaf' && !enter(content, place + 1, ends[place] as number)) return false;
      place = ends[place] as number;
    }
    return true;
  };
  return isObject(fieldsV1) && !Object.hasOwn(fieldsV1, SELF) && enter(fieldsV1, 0, elements.length) ? bits : undefined;
}

/** What a place of a written set is: owned, only what is below it, or both; undefined for what nobody writes so. */
function formOf(content: JsonObject): 'leaf' | 'below' | 'both' | undefined {
  let [count, self] = [0, false];
  for (const text in content) {
    if (text === SELF) {
      const leaf = content[SELF];
      if (count > 0 || !isObject(leaf) || Object.keys(leaf).length > 0) return undefined;
      self = true;
    } else count++;
  }
  if (count === 0) return self ? undefined : 'leaf';
  return self ? 'both' : 'below';
}

/** The set of some places, as it stands in `fieldsV1`. */
export function fieldsAt(enumeration: Enumeration, bits: Bits): JsonObject {
  return levelAt(enumeration, bits, 0, enumeration.elements.length, false) ?? {};
}

function levelAt(
  enumeration: Enumeration,
  bits: Bits,
  first: number,
  end: number,
  self: boolean,
): JsonObject | undefined {
  const { elements, ends } = enumeration;
  let level: JsonObject | undefined;
  for (let place = first; place < end; place = ends[place] as number) {
    const member = bits.has(place);
    const next = ends[place] as number;
    const below = next > place + 1 ? levelAt(enumeration, bits, place + 1, next, member) : undefined;
    if (!member && below === undefined) continue;
    level ??= self ? { [SELF]: {} } : {};
    level[(elements[place] as PathElement).text] = below ?? {};
  }
  return level;
}

/** The set of some places, as the text of `fieldsV1`: what {@link fieldsAt} gives, written. */
export const fieldsTextAt = (enumeration: Enumeration, bits: Bits): string =>
  `{${levelTextAt(enumeration, bits, 0, enumeration.elements.length)}}`;

function levelTextAt(enumeration: Enumeration, bits: Bits, first: number, end: number): string {
  const { elements, ends } = enumeration;
  let level = '';
  for (let place = first; place < end; place = ends[place] as number) {
    const next = ends[place] as number;
    const member = bits.has(place);
    const below = next > place + 1 ? levelTextAt(enumeration, bits, place + 1, next) : '';
    if (!member && below === '') continue;
    if (level !== '') level += ',';
    level += `${elements[place]?.json}{${member && below !== '' ? `".":{},${below}` : below}}`;
  }
  return level;
}
