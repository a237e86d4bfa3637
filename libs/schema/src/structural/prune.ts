import type { Effort } from './effort.js';
import { isContainer, isObject, type Json } from './json.js';
import { NO_STEPS, type Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import type { UnknownFields } from './unknown-fields.js';

/** Members that every object has, which a schema need not declare. */
const META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Drops, in place and in steps, the unknown members of an object. Where they are preserved, they are still dropped
 * within specified members below.
 * @param unknown collects the dropped members
 * @param whole whether it is an object of its own whatever its schema says; default true
 */
export function* prune(
  object: unknown,
  schema: StructuralSchema,
  effort: Effort,
  unknown?: UnknownFields,
  whole = true,
): Steps<void> {
  yield* new Pruning(effort, unknown).value(object, schema, {
    whole: whole || schema.embedded,
    keeps: schema.preserves,
  });
}

interface Kept {
  /** Whether the value is an object of its own, by its position or its schema. */
  readonly whole: boolean;
  /** Whether unknown members are preserved. */
  readonly keeps: boolean;
}

const keptBy = (schema: StructuralSchema | undefined): Kept => ({
  whole: schema?.embedded === true,
  keeps: schema?.preserves === true,
});

class Pruning {
  constructor(
    private readonly effort: Effort,
    private readonly unknown: UnknownFields | undefined,
  ) {}

  value(value: unknown, schema: StructuralSchema | undefined, kept: Kept): Iterable<undefined> {
    if (Array.isArray(value)) return this.#items(value, schema?.items, kept.keeps);
    return isObject(value) ? this.#members(value, schema, kept) : NO_STEPS;
  }

  *#members(object: Json, schema: StructuralSchema | undefined, kept: Kept): Steps<void> {
    for (const name of Object.keys(object)) {
      if (this.effort.endsStep(1)) yield;
      if (kept.whole && META.has(name)) continue;
      const property = schema?.property(name);
      if (property || schema?.isMap) {
        const member = object[name];
        if (!isContainer(member)) continue;
        const below = property ?? schema?.others;
        this.unknown?.enter(name);
        yield* this.value(member, below, keptBy(below));
        this.unknown?.leave();
      } else if (!kept.keeps) {
        this.unknown?.report(name);
        delete object[name];
      }
    }
  }

  /** @param keeps whether the list preserves unknown members: then so does each element */
  *#items(list: readonly unknown[], schema: StructuralSchema | undefined, keeps: boolean): Steps<void> {
    if (keeps && !schema) return;
    const own = keptBy(schema);
    const kept = { ...own, keeps: keeps || own.keeps };
    for (const [at, item] of list.entries()) {
      if (this.effort.endsStep(1)) yield;
      if (!isContainer(item)) continue;
      this.unknown?.enter(at);
      yield* this.value(item, schema, kept);
      this.unknown?.leave();
    }
  }
}
