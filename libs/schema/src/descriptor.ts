import type { JsonValue } from '@orch/machinery';

/**
 * Declarations of `proto/`, in the compact form that the generator writes and {@link loadScheme} reads.
 * Names are canonical (`orch.io`); absent means false, empty or unset.
 */
export interface FileDescriptor {
  /** Prefix of struct ids: `core/v1`. */
  readonly package: string;
  readonly group: string;
  readonly version: string;
  /** Prefix of model names in OpenAPI documents: `io.orch.api.core.v1`. */
  readonly openapi: string;
  readonly groupPriority?: number;
  readonly versionPriority?: number;
  readonly offByDefault?: boolean;
  readonly structs: readonly StructDescriptor[];
}

export interface StructDescriptor {
  readonly name: string;
  readonly doc?: string;
  readonly typed?: boolean;
  readonly everyGroup?: boolean;
  readonly jsonOnly?: boolean;
  readonly customJson?: boolean;
  readonly struct?: 'atomic' | 'granular';
  readonly union?: string;
  readonly resource?: ResourceDescriptor;
  readonly fields: readonly FieldDescriptor[];
  readonly defaultsAt?: readonly { readonly path: string; readonly value: JsonValue }[];
}

/**
 * A field. `type` is a scalar kind or a struct id (`core/v1.PodSpec`), after any of the prefixes `[]` (list),
 * `{}` (map by string) and `=[]` (list that the binary form wraps in a message of its own).
 */
export interface FieldDescriptor {
  readonly name: string;
  readonly type: string;
  readonly number: number;
  readonly doc?: string;
  readonly inline?: boolean;
  readonly pointer?: boolean;
  readonly required?: boolean;
  readonly omitEmpty?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly list?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  readonly map?: 'atomic' | 'granular';
  readonly patch?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly mergeKey?: string;
}

export interface ResourceDescriptor {
  readonly plural: string;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced?: boolean;
  readonly verbs: readonly string[];
  readonly noList?: boolean;
  readonly virtual?: boolean;
  /** Struct id of the kind that objects are stored as, if it is another. */
  readonly storedAs?: string;
  readonly subresources?: readonly {
    readonly name: string;
    /** Struct id of the kind that it is served in. */
    readonly kind: string;
    readonly verbs: readonly string[];
    /** Whether its answers are streams that may last. */
    readonly stream?: boolean;
  }[];
  readonly columns?: readonly {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly priority: number;
  }[];
  readonly lifecycle?: {
    readonly introduced?: string;
    readonly deprecated?: string;
    readonly removed?: string;
    /** Struct id. */
    readonly replacement?: string;
  };
}
