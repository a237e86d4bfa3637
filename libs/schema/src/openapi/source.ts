import type { ResourceDefinition, StructSchema } from '../model.js';
import type { Scheme } from '../scheme.js';

/** What OpenAPI documents are made from. */
export interface OpenApiSource {
  /** Where the structs that `served` refers to are found, and the names they go by. */
  readonly scheme: Scheme;
  /** Every served group/version/resource, built-in and custom. */
  readonly served: readonly ResourceDefinition[];
  /** Version of the API that the documents name, such as `v1.27.0`. */
  readonly release: string;
}

/** The struct of a kind. @throws Error when it is not declared: the build is broken then */
export function kindStruct(source: OpenApiSource, group: string, version: string, kind: string): StructSchema {
  const found = source.scheme.kind(group, version, kind);
  if (!found) throw new Error(`no kind ${kind} is declared in ${group}/${version}`);
  return found.schema;
}
