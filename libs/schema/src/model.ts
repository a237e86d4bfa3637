import type { JsonValue } from '@orch/machinery';

/** Leaves of the model. `json` is any JSON value; `rawExtension` is any object; `fieldsV1` the ownership trie. */
export type ScalarKind =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'float'
  | 'double'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  | 'rawExtension'
  | 'fieldsV1'
  | 'json';

export interface ScalarSchema {
  readonly kind: ScalarKind;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly items: Schema;
  /** The binary form holds the items in field 1 of a message of their own, which makes the list a single value. */
  readonly wrapped?: boolean;
}

export interface MapSchema {
  readonly kind: 'map';
  readonly values: Schema;
}

/** A named struct; the graph may be cyclic (JSONSchemaProps holds itself). */
export interface StructSchema {
  readonly kind: 'struct';
  /** `core/v1.PodSpec`: package of the declaration, version, name. */
  readonly id: string;
  /** Model name in OpenAPI documents: `io.k8s.api.core.v1.PodSpec`. */
  readonly openapi: string;
  readonly description: string;
  /** By JSON name; members of inlined structs stand here as the struct's own. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly structType?: 'atomic' | 'granular';
  /**
   * Set where the JSON form is not the list of the fields: the value of one member stands for the whole
   * (`JSONSchemaPropsOrBool` and its kin).
   */
  readonly customJson?: boolean;
  /** Defaults of fields further down that hold only below this struct; paths of JSON names. */
  readonly pathDefaults?: readonly { readonly path: readonly string[]; readonly value: JsonValue }[];
}

export type Schema = ScalarSchema | ListSchema | MapSchema | StructSchema;

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string;
  /** Protobuf field number; absent for fields that have no binary form. */
  readonly number?: number;
  /** Path of field numbers through inlined structs in the binary form, when the field stands in one (outermost first). */
  readonly inlineNumbers?: readonly number[];
  readonly required: boolean;
  /** A pointer in the source: distinguishes unset from zero in the binary form. */
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
}

/** A column of the Table form (spec: "Table representation"). */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 always shown, above 0 only in wide output. */
  readonly priority: number;
}

export interface Subresource {
  readonly name: string;
  /** Kind that the subresource is served in; group and version of the parent unless set. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface Lifecycle {
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** A kind that a group-version knows: of a resource, of a list, of a subresource or of options. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** Known under this name in every group-version (`DeleteOptions`, `Status`). */
  readonly everyGroup: boolean;
}

/** One served group/version/resource with everything that a declaration says of it. Names are in the profile's form. */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** False for virtual types, which operate but store nothing. */
  readonly stored: boolean;
  /** Where and as what the objects are stored; equal for cohabiting resources such as the two `events`. */
  readonly storage: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
  };
  readonly servedByDefault: boolean;
  readonly columns: readonly Column[];
  readonly lifecycle: Lifecycle;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly schema: StructSchema;
}
