import type { JsonObject } from '@orch/machinery';
import type { Steps } from '../structural/index.js';
import { type OpenApiOp, operationsOf } from './operations.js';
import type { DocumentedResource, OpenApiSource } from './source.js';

/**
 * Returns the operations on some resources, and others, by path and method, in the order of paths; each resource is a
 * step.
 * @param describe formats an operation for a version of OpenAPI
 */
export function* pathItems(
  definitions: readonly DocumentedResource[],
  others: readonly OpenApiOp[],
  source: OpenApiSource,
  describe: (operation: OpenApiOp) => JsonObject,
): Steps<JsonObject> {
  const items = new Map<string, Record<string, JsonObject>>();
  const add = (operation: OpenApiOp): void => {
    const item = items.get(operation.path) ?? {};
    item[operation.method] = describe(operation);
    items.set(operation.path, item);
  };
  for (const definition of definitions) {
    operationsOf(definition, source).forEach(add);
    yield;
  }
  others.forEach(add);
  return Object.fromEntries([...items].sort(([a], [b]) => (a < b ? -1 : 1)));
}
