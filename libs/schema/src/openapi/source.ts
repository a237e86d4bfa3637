import type { ResourceDescription, StructSchema } from '../model.js';
import type { Scheme } from '../scheme.js';
import type { CustomModel } from './custom-model.js';

export type { ModelSource } from './custom-model.js';

/** A served resource with the form of its objects. */
export interface DocumentedResource extends ResourceDescription {
  /** Form of the objects in this version. */
  readonly schema: StructSchema | CustomModel;
}

/** Input of OpenAPI documents. */
export interface OpenApiSource {
  /** Scheme with the structs that resources refer to, and their names. */
  readonly scheme: Scheme;
  /**
   * Every served group/version/resource, built-in and custom, by group; results for a list are cached for others that
   * share it.
   */
  readonly groups: readonly (readonly DocumentedResource[])[];
  /** Version of the API in the documents, such as `v1.27.0`. */
  readonly release: string;
}

/** Returns the struct of a kind. @throws Error when it is not declared: the build is broken then */
export function kindStruct(source: OpenApiSource, group: string, version: string, kind: string): StructSchema {
  const found = source.scheme.kind(group, version, kind);
  if (!found) throw new Error(`no kind ${kind} is declared in ${group}/${version}`);
  return found.schema;
}
