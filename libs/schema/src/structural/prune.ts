import type { Effort } from './effort.js';
import { isContainer, isObject, type Json } from './json.js';
import { NO_STEPS, type Steps } from './steps.js';
import type { UnknownFields } from './unknown-fields.js';

/** Members that every object has, which a schema need not declare. */
const META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface Kept {
  /** Whether the value is an object of its own, by its position or its schema. */
  readonly embedded: boolean;
  /** Whether unknown members are preserved. */
  readonly preserves: boolean;
}

/** The part of a structural schema that says which members of a value are known. */
interface PrunedBy extends Kept {
  readonly isMap: boolean;
  readonly items: PrunedBy | undefined;
  readonly others: PrunedBy | undefined;
  property(name: string): PrunedBy | undefined;
}

const UNDECLARED: Kept = { embedded: false, preserves: false };

/**
 * Drops, in place and in steps, the unknown members of an object. Where they are preserved, they are still dropped
 * within specified members below.
 * @param unknown collects the dropped members
 * @param whole whether it is an object of its own whatever its schema says; default true
 */
export function* prune(
  object: unknown,
  schema: PrunedBy,
  effort: Effort,
  unknown?: UnknownFields,
  whole = true,
): Steps<void> {
  yield* new Pruning(effort, unknown).value(object, schema, {
    embedded: whole || schema.embedded,
    preserves: schema.preserves,
  });
}

class Pruning {
  constructor(
    private readonly effort: Effort,
    private readonly unknown: UnknownFields | undefined,
  ) {}

  value(value: unknown, schema: PrunedBy | undefined, kept: Kept): Iterable<undefined> {
    if (Array.isArray(value)) return this.#items(value, schema?.items, kept.preserves);
    return isObject(value) ? this.#members(value, schema, kept) : NO_STEPS;
  }

  *#members(object: Json, schema: PrunedBy | undefined, kept: Kept): Steps<void> {
    for (const name of Object.keys(object)) {
      if (this.effort.endsStep(1)) yield;
      if (kept.embedded && META.has(name)) continue;
      const property = schema?.property(name);
      if (property || schema?.isMap) {
        if (!isContainer(object[name])) continue;
        const below = property ?? schema?.others;
        this.unknown?.enter(name);
        yield* this.value(object[name], below, below ?? UNDECLARED);
        this.unknown?.leave();
      } else if (!kept.preserves) {
        this.unknown?.report(name);
        delete object[name];
      }
    }
  }

  /** @param keeps whether the list preserves unknown members: then so does each element */
  *#items(list: readonly unknown[], schema: PrunedBy | undefined, keeps: boolean): Steps<void> {
    if (keeps && !schema) return;
    const kept = { embedded: schema?.embedded === true, preserves: keeps || schema?.preserves === true };
    for (const [at, item] of list.entries()) {
      if (this.effort.endsStep(1)) yield;
      if (!isContainer(item)) continue;
      this.unknown?.enter(at);
      yield* this.value(item, schema, kept);
      this.unknown?.leave();
    }
  }
}
