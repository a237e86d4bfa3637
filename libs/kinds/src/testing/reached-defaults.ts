import type { JsonValue } from '@orch/machinery';
import type { ResourceDefinition, Schema, StructSchema } from '@orch/schema';

/** The fields below a struct that have a declared default, as `struct.field`. */
export function declaredDefaults(schema: Schema, seen = new Set<Schema>(), found = new Set<string>()): Set<string> {
  if (seen.has(schema)) return found;
  seen.add(schema);
  if (schema.kind === 'list') return declaredDefaults(schema.items, seen, found);
  if (schema.kind === 'map') return declaredDefaults(schema.values, seen, found);
  if (schema.kind !== 'struct' || schema.customJson) return found;
  for (const field of schema.fields.values()) {
    if (field.default !== undefined) found.add(`${schema.id}.${field.name}`);
    declaredDefaults(field.schema, seen, found);
  }
  for (const { path } of schema.pathDefaults ?? []) found.add(fieldAt(schema, path));
  return found;
}

/** The field that a path leads to. */
function fieldAt(schema: StructSchema, [name = '', ...rest]: readonly string[]): string {
  const inner = schema.fields.get(name)?.schema;
  return rest.length > 0 && inner?.kind === 'struct' ? fieldAt(inner, rest) : `${schema.id}.${name}`;
}

/** The fields that were filled in, of what {@link filledIn} says of one version of a kind. */
export function reachedDefaults({ schema }: ResourceDefinition, filledIn: readonly string[]): Set<string> {
  const reached = new Set<string>();
  for (const line of filledIn) {
    const [, path = '', json = ''] = /^\S+ \d+ (\S*): (.*)$/s.exec(line) ?? [];
    if (json === 'undefined') continue;
    follow(schema, path.split('.').slice(1), JSON.parse(json) as JsonValue, reached);
  }
  return reached;
}

function follow(schema: Schema, [name, ...rest]: readonly string[], value: JsonValue, reached: Set<string>): void {
  if (name === undefined) {
    if (typeof value !== 'object' || value === null) return;
    for (const [member, inner] of Object.entries(value as Record<string, JsonValue>))
      follow(schema, [member], inner, reached);
  } else if (schema.kind === 'list') follow(schema.items, rest, value, reached);
  else if (schema.kind === 'map') follow(schema.values, rest, value, reached);
  else if (schema.kind === 'struct') {
    const field = schema.fields.get(name);
    if (!field) return;
    if (rest.length === 0) reached.add(`${schema.id}.${name}`);
    follow(field.schema, rest, value, reached);
  }
}
