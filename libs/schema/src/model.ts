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

/** A leaf: a value that has no fields of its own in the model. */
export interface ScalarSchema {
  /** Form of the value; a leaf has no other properties. */
  readonly kind: ScalarKind;
}

/** A list. Its merge strategy, and whether it is a set or a map, is declared by the {@link Field} that holds it. */
export interface ListSchema {
  /** Discriminates it from the other schemas. */
  readonly kind: 'list';
  /** Schema of each item; a null among them means its zero value. */
  readonly items: Schema;
  /** The binary form wraps the items in field 1 of a message, which makes the list a single value. */
  readonly wrapped?: boolean;
}

/** A map by strings, whose keys are data and not fields: labels, the data of a ConfigMap. */
export interface MapSchema {
  /** Discriminates it from the other schemas. */
  readonly kind: 'map';
  /** Schema of each value; a null among them means its zero value. */
  readonly values: Schema;
}

/** A named struct; the graph may be cyclic (JSONSchemaProps contains itself). */
export interface StructSchema {
  /** Discriminates it from the other schemas. */
  readonly kind: 'struct';
  /** `core/v1.PodSpec`: package of the declaration, version, name. */
  readonly id: string;
  /** Model name in OpenAPI documents: `io.k8s.api.core.v1.PodSpec`. */
  readonly openapi: string;
  /** Description for OpenAPI documents and `explain`; empty when the declaration has no comment. */
  readonly description: string;
  /** Fields by JSON name; members of inlined structs are listed as the struct's own. */
  readonly fields: ReadonlyMap<string, Field>;
  /** How appliers own it: `atomic` as a whole, `granular` field by field. Unset: granular. */
  readonly structType?: 'atomic' | 'granular';
  /** JSON name of the field that selects which of the others is set; only of a union. */
  readonly discriminator?: string;
  /** Set if one member's value is the JSON form of the whole struct (`JSONSchemaPropsOrBool` and its kin). */
  readonly customJson?: boolean;
  /** Defaults of fields further down that hold only below this struct; paths of JSON names. */
  readonly pathDefaults?: readonly { readonly path: readonly string[]; readonly value: JsonValue }[];
}

/** The form of a value, discriminated by `kind`: any that is not `list`, `map` or `struct` is a leaf. */
export type Schema = ScalarSchema | ListSchema | MapSchema | StructSchema;

/** A field of a struct, with its whole declaration. */
export interface Field {
  /** The JSON name: `hostIPC`. */
  readonly name: string;
  /** Form of the value; may be the struct that holds the field. */
  readonly schema: Schema;
  /** Description for OpenAPI documents; empty when the declaration has no comment. */
  readonly description: string;
  /** Protobuf field number; absent for fields that have no binary form. */
  readonly number?: number;
  /** Path of field numbers through inlined structs in the binary form, for a field inside one (outermost first). */
  readonly inlineNumbers?: readonly number[];
  /** Required in valid objects, for OpenAPI documents; each kind's own rules check it. */
  readonly required: boolean;
  /** A pointer in the source: distinguishes unset from zero in the binary form. */
  readonly pointer: boolean;
  /** Zero values are omitted in JSON; if not, they are written. */
  readonly omitEmpty: boolean;
  /** Default that {@link applyDefaults} sets when the field is unset; shared, so it is copied and never changed. */
  readonly default?: JsonValue;
  /** Allowed values as OpenAPI documents list them; unset when any is. */
  readonly enum?: readonly string[];
  /** How appliers own a list: `atomic` as a whole, `set` by value, `map` by {@link listMapKeys}. Unset: atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** JSON names of the fields that together identify items of a `map` list; only with that type. */
  readonly listMapKeys?: readonly string[];
  /** How appliers own a map, or the struct in this field: `atomic` as a whole, `granular` by key. Unset: granular. */
  readonly mapType?: 'atomic' | 'granular';
  /** How a strategic merge patch joins it; `retainKeys` may be combined. Unset: lists are replaced, the rest merged. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  /** JSON name of the field that identifies items of a `merge` list in a strategic merge patch; unset for leaves. */
  readonly patchMergeKey?: string;
}

/** A column of the Table form (spec: "Table representation"). */
export interface Column {
  /** The head of the column: `Age`. */
  readonly name: string;
  /** A type of OpenAPI: `string`, `integer` or `boolean`; of custom resources also `number` and `date`. */
  readonly type: string;
  /** A format of OpenAPI; `name` marks the column that names the object. Empty when there is none. */
  readonly format: string;
  /** Description of the column for users; may be empty. */
  readonly description: string;
  /** 0 always shown, above 0 only in wide output. */
  readonly priority: number;
}

/** A part of an object that is read and written at a path of its own. */
export interface Subresource {
  /** Last segments of the path: `status`, `scale`. */
  readonly name: string;
  /** Group of the served kind; group and version of the parent unless set. */
  readonly group: string;
  /** Version of {@link kind}. */
  readonly version: string;
  /** Kind of requests and answers there: `Scale`; often the parent's. */
  readonly kind: string;
  /** Verbs that it serves: `get`, `patch`, `update`, or `create` for actions. */
  readonly verbs: readonly string[];
}

/** Releases that introduce and remove a version of a kind, such as `1.27`; unset: unknown or not planned. */
export interface ApiLifecycle {
  /** First release that serves it. */
  readonly introduced?: string;
  /** First release that warns about its use; see {@link isDeprecated}. */
  readonly deprecated?: string;
  /** First release that does not serve it any more; see {@link selectServed}. */
  readonly removed?: string;
  /** Replacement that the warning recommends, in the profile's names. */
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Warning for every release, in these words: for a custom kind, which belongs to none. */
  readonly warning?: string;
}

/** A kind that a group-version knows: of a resource, of a list, of a subresource or of options. */
export interface KindDefinition {
  /** Group in the profile's form; empty for the core group. */
  readonly group: string;
  /** Version of the group that knows it: `v1`. */
  readonly version: string;
  /** Value of `kind` in objects: `PodList`. */
  readonly kind: string;
  /** Struct with `apiVersion` and `kind` among its fields. */
  readonly schema: StructSchema;
  /** Known under this name in every group-version (`DeleteOptions`, `Status`). */
  readonly everyGroup: boolean;
}

/** A served group/version/resource and its declarations, without the form of its objects, in the profile's names. */
export interface ResourceDescription {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Version that is served; each one of a resource has a definition of its own. */
  readonly version: string;
  /** The plural, as in paths: `deployments`. */
  readonly resource: string;
  /** The kind in lower case: `deployment`. */
  readonly singular: string;
  /** Kind of the objects: `Deployment`. */
  readonly kind: string;
  /** Kind of a list of them: `DeploymentList`; empty when there is none (reviews). */
  readonly listKind: string;
  /** Abbreviations for users: `deploy`. */
  readonly shortNames: readonly string[];
  /** Groups of resources that users may request together, such as `all`. */
  readonly categories: readonly string[];
  /** Whether objects are in namespaces; if not, they are cluster-scoped. */
  readonly namespaced: boolean;
  /**
   * Verbs of discovery and paths: `create`, `delete`, `deletecollection`, `get`, `list`, `patch`, `update`, `watch`.
   */
  readonly verbs: readonly string[];
  /** Subresources in the order of the declarations; empty when there are none. */
  readonly subresources: readonly Subresource[];
  /** False for virtual types, which have operations but store nothing. */
  readonly stored: boolean;
  /** Type under which the objects are stored; equal for cohabiting resources such as the two `events`. */
  readonly storage: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
  };
  /** False for versions that only the runtime configuration turns on; see {@link selectServed}. */
  readonly servedByDefault: boolean;
  /** Columns of the Table form: {@link DEFAULT_COLUMNS} when none are declared. */
  readonly columns: readonly Column[];
  /** Declared lifecycle; empty if there is none. */
  readonly lifecycle: ApiLifecycle;
  /** Groups with a higher number come first in discovery. Default 1000. */
  readonly groupPriority: number;
  /** Versions with a higher number come first in their group; the first is preferred. Default 100. */
  readonly versionPriority: number;
}

/** A resource of a kind that is declared in `proto/`. */
export interface ResourceDefinition extends ResourceDescription {
  /** Form of the objects in this version. */
  readonly schema: StructSchema;
}
