import { Effort } from './effort.js';
import { isContainer, isObject, isSame, type Json } from './json.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';

/**
 * Values that an update leaves unchanged, as far as values before and after can be correlated: members by their names,
 * elements of lists that are maps by their keys (k8s.io/apiserver, cel/common/equality.go).
 */
export class Prior {
  readonly #before = new WeakMap<object, object>();
  readonly #unchanged = new WeakSet<object>();

  private constructor(private readonly effort: Effort) {}

  /** Compares an object with the stored one, in steps. */
  static *of(object: Json, old: Json, schema: StructuralSchema): Steps<Prior> {
    const prior = new Prior(Effort.inSteps());
    yield* prior.#compare(object, old, schema);
    return prior;
  }

  /** Whether an object or a list in the object is unchanged. */
  isUnchanged(container: object): boolean {
    return this.#unchanged.has(container);
  }

  /** Whether a member of an object is unchanged. */
  keeps(object: object, name: string): boolean {
    const value = (object as Json)[name];
    if (isContainer(value)) return this.#unchanged.has(value);
    const before = this.#before.get(object) as Json | undefined;
    return before !== undefined && Object.hasOwn(before, name) && before[name] === value;
  }

  *#compare(value: unknown, old: unknown, schema: StructuralSchema): Steps<boolean> {
    if (this.effort.endsStep(1)) yield;
    if (!isContainer(value) || !isContainer(old)) return value === old;
    if (Array.isArray(value) !== Array.isArray(old)) return false;
    this.#before.set(value, old);
    const isKept = Array.isArray(value)
      ? yield* this.#list(value, old as unknown[], schema)
      : yield* this.#members(value as Json, old as Json, schema);
    if (isKept) this.#unchanged.add(value);
    return isKept;
  }

  /** Compares all of them, even after one has changed. */
  *#members(object: Json, old: Json, schema: StructuralSchema): Steps<boolean> {
    const names = Object.keys(object);
    let isKept = names.length === Object.keys(old).length;
    for (const name of names) {
      const member = schema.property(name) ?? schema.others;
      const known = member !== undefined && Object.hasOwn(old, name);
      if (!known || !(yield* this.#compare(object[name], old[name], member))) isKept = false;
    }
    return isKept;
  }

  *#list(list: readonly unknown[], old: readonly unknown[], { items, props }: StructuralSchema): Steps<boolean> {
    const keys = props['x-kubernetes-list-map-keys'] ?? [];
    if (props['x-kubernetes-list-type'] !== 'map' || !items) return isSame(list, old);
    const known = new Map(old.map((item) => [keyOf(item, keys), item]));
    let isKept = list.length === old.length;
    for (const item of list) {
      const before = known.get(keyOf(item, keys));
      if (before === undefined || !(yield* this.#compare(item, before, items))) isKept = false;
    }
    return isKept;
  }
}

const keyOf = (item: unknown, keys: readonly string[]): string =>
  JSON.stringify(keys.map((key) => (isObject(item) ? [typeof item[key], String(item[key])] : null)));
