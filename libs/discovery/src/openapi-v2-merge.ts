import type { JsonObject, JsonValue } from '@orch/machinery';
import type { Steps } from '@orch/schema';
import type { OpenApiV2Part } from './remote-documents.js';

const REFERENCE = '#/definitions/';
/** Deepest nesting that is accepted from other servers; real documents stay below it. */
const MAX_DEPTH = 100;

/**
 * Merges parts of other servers into a document: paths that it does not have, and the definitions that these need. A
 * definition whose name is taken by a different one gets a number behind its name. Yields after each definition.
 */
export function* withParts(document: JsonObject, parts: readonly OpenApiV2Part[]): Steps<JsonObject> {
  if (parts.length === 0) return document;
  const paths = { ...(document.paths as JsonObject) };
  const definitions = { ...(document.definitions as JsonObject) };
  for (const part of parts) {
    const renamed = new Map<string, string>();
    for (const [name, definition] of Object.entries(part.definitions)) {
      const free = freeName(name, definition, definitions, part.definitions);
      if (free !== name) renamed.set(name, free);
      yield;
    }
    for (const [name, definition] of Object.entries(part.definitions)) {
      definitions[renamed.get(name) ?? name] = withReferences(definition, renamed);
      yield;
    }
    for (const [path, item] of Object.entries(part.paths)) paths[path] ??= withReferences(item, renamed);
    yield;
  }
  return { ...document, paths, definitions };
}

/** Returns a name for a definition: its own unless a different definition has it. */
function freeName(name: string, definition: JsonValue | undefined, taken: JsonObject, own: JsonObject): string {
  const text = JSON.stringify(definition);
  const isFree = (each: string) => !Object.hasOwn(taken, each) || JSON.stringify(taken[each]) === text;
  if (isFree(name)) return name;
  for (let number = 2; ; number++) {
    const numbered = `${name}_v${number}`;
    if (isFree(numbered) && !Object.hasOwn(own, numbered)) return numbered;
  }
}

function withReferences(value: JsonValue | undefined, renamed: ReadonlyMap<string, string>): JsonValue | undefined {
  if (renamed.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withReferences(each, renamed) ?? null);
  const copy: Record<string, JsonValue | undefined> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = key === '$ref' ? referred(member) : undefined;
    const other = name === undefined ? undefined : renamed.get(name);
    copy[key] = other === undefined ? withReferences(member, renamed) : `${REFERENCE}${other}`;
  }
  return copy;
}

const referred = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value.startsWith(REFERENCE) ? value.slice(REFERENCE.length) : undefined;

/**
 * Extracts some paths of a document, with the definitions that these need.
 * @param isWanted whether a path is one of them
 * @throws Error for a value that is no such document
 */
export function partOf(document: unknown, isWanted: (path: string) => boolean): OpenApiV2Part {
  const { paths, definitions = {}, parameters = {} } = asObject(document, 'the document');
  const known = asObject(definitions, 'definitions');
  const whole = withParameters(asObject(parameters, 'parameters'));
  const wanted = Object.entries(asObject(paths ?? {}, 'paths'))
    .filter(([path]) => isWanted(path))
    .map(([path, item]) => [path, whole(asObject(item, path))] as const);
  const kept: Record<string, JsonValue | undefined> = {};
  const pending: (JsonValue | undefined)[] = wanted.map(([, item]) => item);
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const name of referencesOf(value)) {
      if (Object.hasOwn(kept, name) || !Object.hasOwn(known, name)) continue;
      kept[name] = asObject(known[name], name);
      pending.push(kept[name]);
    }
  }
  return { paths: Object.fromEntries(wanted), definitions: kept };
}

const PARAMETER = '#/parameters/';
/** Characters that parameters may become which are written once and meant often. */
const MAX_REPEATED = 32 << 20;

/** Gives each operation the parameters that it shares, with others of the document or of its path. */
function withParameters(parameters: JsonObject): (item: JsonObject) => JsonObject {
  let repeated = 0;
  const resolved = (value: JsonValue): JsonValue => {
    const { $ref } = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    if (typeof $ref !== 'string' || !$ref.startsWith(PARAMETER)) return value;
    const found = asObject(parameters[$ref.slice(PARAMETER.length)], $ref);
    repeated += JSON.stringify(found).length;
    if (repeated > MAX_REPEATED) throw new Error('parameters are meant too often');
    return found;
  };
  const listOf = ({ parameters: list }: JsonObject): JsonValue[] => (Array.isArray(list) ? list.map(resolved) : []);
  return ({ parameters: _shared, ...item }) => {
    const shared = listOf({ parameters: _shared });
    const operations = Object.entries(item).map(([method, operation]) => {
      if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) return [method, operation];
      const own = listOf(operation);
      const others = shared.filter((each) => !own.some((one) => isSameParameter(one, each)));
      return [method, own.length + others.length > 0 ? { ...operation, parameters: [...own, ...others] } : operation];
    });
    return Object.fromEntries(operations) as JsonObject;
  };
}

const isSameParameter = (a: JsonValue, b: JsonValue): boolean => {
  const [one, other] = [asObject(a, 'a parameter'), asObject(b, 'a parameter')];
  return one.name === other.name && one.in === other.in;
};

function asObject(value: unknown, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Error(`${what} is no object`);
}

function referencesOf(root: JsonValue): Set<string> {
  const found = new Set<string>();
  const visit = (value: JsonValue | undefined, depth: number): void => {
    if (depth > MAX_DEPTH) throw new Error(`the document is nested deeper than ${MAX_DEPTH}`);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const name = key === '$ref' ? referred(member as JsonValue) : undefined;
      if (name === undefined) visit(member as JsonValue, depth + 1);
      else found.add(name);
    }
  };
  visit(root, 0);
  return found;
}
