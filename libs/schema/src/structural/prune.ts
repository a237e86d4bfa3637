import { isObject } from './json.js';
import type { StructuralSchema } from './structural-schema.js';
import type { UnknownFields } from './unknown-fields.js';

/** Members that every object has, of which a schema need not speak. */
const META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Drops, in place, the members of an object that its schema does not know. Where unknown ones are kept, they are still dropped within
 * what is specified below.
 * @param unknown is told of what was dropped
 * @param whole whether it is an object of its own whatever its schema says; default true
 */
export function prune(object: unknown, schema: StructuralSchema, unknown?: UnknownFields, whole = true): void {
  pruneValue(object, schema, { whole: whole || schema.embedded, keeps: schema.preserves }, unknown);
}

interface Kept {
  /** The value is an object of its own, by its place or its schema. */
  readonly whole: boolean;
  /** What the schema does not know is kept. */
  readonly keeps: boolean;
}

const keptBy = (schema: StructuralSchema | undefined): Kept => ({
  whole: schema?.embedded === true,
  keeps: schema?.preserves === true,
});

function pruneValue(value: unknown, schema: StructuralSchema | undefined, kept: Kept, unknown?: UnknownFields): void {
  if (Array.isArray(value)) pruneItems(value, schema?.items, kept.keeps, unknown);
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (kept.whole && META.has(name)) continue;
    const property = schema?.property(name);
    if (property || schema?.isMap) {
      const below = property ?? schema?.others;
      unknown?.enter(name);
      pruneValue(value[name], below, keptBy(below), unknown);
      unknown?.leave();
    } else if (!kept.keeps) {
      unknown?.tell(name);
      delete value[name];
    }
  }
}

/** @param keeps whether the list keeps what its schema does not know: then so does each element */
function pruneItems(
  list: readonly unknown[],
  schema: StructuralSchema | undefined,
  keeps: boolean,
  unknown?: UnknownFields,
): void {
  if (keeps && !schema) return;
  const own = keptBy(schema);
  for (const [at, item] of list.entries()) {
    unknown?.enter(at);
    pruneValue(item, schema, { ...own, keeps: keeps || own.keeps }, unknown);
    unknown?.leave();
  }
}
