import type { ChangeEvent } from '../history/change-event.js';
import {
  attributeOf,
  type EqualityKey,
  NAME_FIELD,
  NAMESPACE_FIELD,
  narrowest,
  type SelectableAttributes,
} from '../state/attributes.js';
import type { Interest } from './interest.js';

/** A group of watchers, by what they want. */
interface Indexed {
  readonly interest: Interest;
}

type Bucket<Group> = Map<string, Set<Group>>;

/** Place of an audience in the index: one property that every event which concerns it has. */
type Place =
  | { readonly by: 'name'; readonly value: string }
  | { readonly by: 'namespace'; readonly value: string }
  | { readonly by: 'equality'; readonly key: EqualityKey; readonly value: string }
  | { readonly by: 'nothing' };

/** Limit of equality keys that are checked for each event. */
const FEW_KEYS = 8;

/** Finds the audiences that an event may concern. Each is indexed once, under its most selective property. */
export class AudienceIndex<Group extends Indexed> {
  readonly #byName: Bucket<Group> = new Map();
  readonly #byNamespace: Bucket<Group> = new Map();
  readonly #byEquality = new Map<EqualityKey, Bucket<Group>>();
  readonly #others = new Set<Group>();

  add(audience: Group): void {
    const place = placeOf(audience.interest);
    if (place.by === 'nothing') {
      this.#others.add(audience);
      return;
    }
    const bucket = this.#bucket(place);
    const filed = bucket.get(place.value);
    if (filed === undefined) bucket.set(place.value, new Set([audience]));
    else filed.add(audience);
  }

  remove(audience: Group): void {
    const place = placeOf(audience.interest);
    if (place.by === 'nothing') {
      this.#others.delete(audience);
      return;
    }
    const bucket = this.#bucket(place);
    const filed = bucket.get(place.value);
    filed?.delete(audience);
    if (filed?.size === 0) bucket.delete(place.value);
    if (place.by === 'equality' && bucket.size === 0) this.#byEquality.delete(place.key);
  }

  /** Calls back once for each audience that the event may concern. */
  forEach(event: ChangeEvent, visit: (audience: Group) => void): void {
    for (const audience of this.#others) visit(audience);
    if (this.#byName.size > 0) {
      const { namespace, name } = event.entry;
      visitAll(this.#byName.get(nameWithin(namespace, name)), visit);
      visitAll(this.#byName.get(nameWithin(undefined, name)), visit);
    }
    if (this.#byNamespace.size > 0) visitAll(this.#byNamespace.get(event.entry.namespace), visit);
    if (this.#byEquality.size > 0) this.#forEachEqual(event, visit);
  }

  #forEachEqual({ entry, prior }: ChangeEvent, visit: (audience: Group) => void): void {
    // An entry without known attributes may concern every audience.
    if (entry.failure !== undefined || prior?.failure !== undefined) {
      for (const bucket of this.#byEquality.values()) {
        for (const audiences of bucket.values()) visitAll(audiences, visit);
      }
      return;
    }
    const [now, before] = [entry.attributes, prior?.attributes];
    // Keys from selectors are not checked one by one for each event if they are more than the object's own.
    const keys = this.#byEquality.size > FEW_KEYS ? keysOf(now, before) : this.#byEquality.keys();
    for (const key of keys) {
      const bucket = this.#byEquality.get(key);
      if (bucket === undefined) continue;
      const [value, old] = [attributeOf(now, key), before && attributeOf(before, key)];
      if (value !== undefined) visitAll(bucket.get(value), visit);
      if (old !== undefined && old !== value) visitAll(bucket.get(old), visit);
    }
  }

  #bucket(place: Exclude<Place, { by: 'nothing' }>): Bucket<Group> {
    if (place.by !== 'equality') return place.by === 'name' ? this.#byName : this.#byNamespace;
    let bucket = this.#byEquality.get(place.key);
    if (bucket === undefined) {
      bucket = new Map();
      this.#byEquality.set(place.key, bucket);
    }
    return bucket;
  }
}

/** Returns the name of an interest's place: interests in one place are checked together. */
export function placeName(interest: Interest): string {
  const place = placeOf(interest);
  if (place.by === 'equality') return `${place.key}=${place.value}`;
  return place.by === 'nothing' ? '' : `${place.by}=${place.value}`;
}

/** Fixed cost of matching an event beside any term, in terms. */
const BASE_TERMS = 4;

/** Cost of matching events beyond the place of an interest, in terms; 0 if the place alone decides. */
export function termsOf(interest: Interest): number {
  const { selection } = interest;
  if (selection === undefined) return 0;
  const { by } = placeOf(interest);
  const terms = (selection.terms ?? 1) - (by === 'name' || by === 'equality' ? 1 : 0);
  return terms > 0 ? BASE_TERMS + terms : 0;
}

function placeOf({ namespace, selection }: Interest): Place {
  const within = namespace ?? selection?.equals?.get(NAMESPACE_FIELD);
  const [key, value] = narrowest(selection) ?? [];
  if (key === NAME_FIELD && value !== undefined) return { by: 'name', value: nameWithin(within, value) };
  if (key !== undefined && value !== undefined) return { by: 'equality', key, value };
  return within === undefined ? { by: 'nothing' } : { by: 'namespace', value: within };
}

function nameWithin(namespace: string | undefined, name: string): string {
  return namespace === undefined ? `*/${name}` : `${namespace}/${name}`;
}

/** Returns the keys that an object has now or had before, without duplicates. */
function keysOf(...states: readonly (SelectableAttributes | undefined)[]): Set<EqualityKey> {
  const keys = new Set<EqualityKey>();
  for (const { labels, fields } of states.filter((state) => state !== undefined)) {
    for (const name of Object.keys(labels)) keys.add(`label:${name}`);
    for (const path of Object.keys(fields)) keys.add(`field:${path}`);
  }
  return keys;
}

function visitAll<Group>(audiences: ReadonlySet<Group> | undefined, visit: (audience: Group) => void): void {
  if (audiences === undefined) return;
  for (const audience of audiences) visit(audience);
}
