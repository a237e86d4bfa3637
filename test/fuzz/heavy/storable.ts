import { parseJson, readObject } from '@orch/codec';
import { kindRules } from '@orch/kinds';
import { type ApiObject, namesOf } from '@orch/machinery';
import { applyDefaults, loadScheme, type ResourceDefinition } from '@orch/schema';
import { MAX_VALUES, ROOM_VALUES, valuesOf } from './heavy-request.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);

function definitionAt(path: string): ResourceDefinition {
  const [, group = '', version = '', resource = ''] =
    /^\/api(?:s\/([^/]+))?\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/]+)$/.exec(path) ?? [];
  const found = scheme.resource(group, version, resource);
  if (!found) throw new Error(`nothing is served at ${path}`);
  return found;
}

/** Values of an object that is sent to a path, once it has its defaults. */
function valuesWithDefaults(path: string, body: Buffer): number {
  const definition = definitionAt(path);
  const object = readObject(definition.schema, parseJson(body).value).object as ApiObject;
  applyDefaults(definition.schema, object);
  kindRules(definition, names).defaults(object);
  return valuesOf(JSON.stringify(object));
}

/**
 * How many pieces an object may be made of, so that it is not refused for what defaults add to it: each piece is worth as
 * much as any other.
 */
export function storableCount(path: string, body: (count: number) => Buffer): number {
  const [few, more] = [10, 20];
  const before = valuesWithDefaults(path, body(few));
  const each = (valuesWithDefaults(path, body(more)) - before) / (more - few);
  return few + Math.floor((MAX_VALUES - ROOM_VALUES - before) / each);
}
