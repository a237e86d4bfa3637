import type { ApiObject, FieldError, NameRule, Names } from '@orch/machinery';
import type { Allocators } from '../allocation/allocator.js';
import type { GatedFields } from './gated-fields.js';

/** A value of a table row, in the type of its column; null where custom kinds have nothing to show. */
export type Cell = string | number | bigint | boolean | null;

/** The user who requests a write, as far as kinds record it. */
export interface Requestor {
  /** User name, as determined by authentication; never empty. */
  readonly name: string;
  /** UID; unset if the authenticator does not provide one. */
  readonly uid?: string;
  /** Groups, including those that authentication adds (`system:authenticated`). */
  readonly groups: readonly string[];
  /** Other attributes of the user, by key; empty when there are none. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Data for the preparation of a write beside the objects. */
export interface WriteContext {
  /** The user who requests the write; the server itself for its own writes. */
  readonly user: Requestor;
  /** The subresource written through; '' for the resource itself. */
  readonly subresource: string;
  /** Time, milliseconds since 1970. */
  readonly now: number;
}

/** Thrown for an object without a valid scale at the paths of its definition; the message is for clients. */
export class ScaleError extends Error {}

/** Numbers behind the `scale` subresource of a workload. */
export interface ScaleView {
  /** Desired replicas; undefined if an object of a custom kind has none. */
  readonly replicas: number | undefined;
  /** Observed replicas. */
  readonly statusReplicas: number;
  /** Label selector of the pods, in its string form. */
  readonly selector: string;
}

/** Reads and writes the numbers behind the `scale` subresource of a kind. */
export interface ScaleRules<T extends object = ApiObject> {
  /** Path of the desired replicas, with a dot before each member: `.spec.replicas`. */
  readonly replicasPath: string;
  /**
   * Reads the scale. Unset numbers are 0, except for the desired replicas; an unset selector is empty.
   * @throws ScaleError for an object of a custom kind with other values there
   */
  read(object: T): ScaleView;
  /**
   * Sets the desired replicas. Mutates.
   * @throws ScaleError for an object of a custom kind in which the path cannot be set
   */
  write(object: T, replicas: number): void;
}

/** Result of {@link KindRules.allocate}; the caller must call exactly one of the two methods. */
export interface Allocation {
  /** Whether it has allocated anything, or has anything to free. */
  readonly changes: boolean;
  /** Frees what was allocated for a write that failed or was a dry run. */
  undo(): Promise<void>;
  /** Frees what the old object held and the new one does not, after a successful write. */
  settle(): Promise<void>;
}

/**
 * The complete rules of one kind that a declaration cannot express: kinds without rules of their own get the generic
 * behaviour. Every function is pure except for the mutation that its text names.
 */
export interface KindRules {
  /** The rule for `metadata.name`. */
  readonly nameRule: NameRule;
  /** Whether the kind counts all changes of the desired state in metadata.generation. */
  readonly hasGeneration: boolean;
  /** Whether a PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** Whether an update may lack a resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /**
   * Propagation of a deletion if neither the DELETE nor a finalizer determines it; `None` for kinds that cannot have
   * any.
   */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'None';

  /** Warning for deletions without a propagation policy. */
  readonly deletionWarning?: string;

  /** Applies defaults that depend on other fields. Runs after the declared ones; mutates, and is idempotent. */
  defaults(object: ApiObject): void;
  /** Resets fields that clients may not set. Runs once uid, name and creation time are set. Mutates. */
  prepareForCreate(object: ApiObject, context: WriteContext): void;
  /**
   * Restores the fields that the resource or subresource may not change, and counts the generation. Mutates `object`
   * only.
   */
  prepareForUpdate(object: ApiObject, old: ApiObject, context: WriteContext): void;
  /**
   * Returns the fields that a write through a subresource ('' for the resource itself) leaves unchanged, as paths of
   * member names: the client does not own them.
   */
  resetFields(subresource: string): readonly (readonly string[])[];
  /**
   * Marks an object whose deletion begins but must wait (finalizers, grace period). Mutates.
   * @param begins false if it had already begun
   */
  prepareForDelete(object: ApiObject, begins: boolean): void;
  /** Returns whether finalizers, also those outside of metadata, still keep an object that is being deleted. */
  hasFinalizers(object: ApiObject): boolean;
  /**
   * Finds all errors of a new object; none for a valid one. Runs on prepared objects with defaults. The errors come in
   * steps, between which a check of a large object yields to the event loop.
   * @param found errors of its metadata, which are not reported again; default none
   */
  validateCreate(object: ApiObject, found?: readonly FieldError[]): Iterable<FieldError[]>;
  /** Checks a new object against rules of its version beside those of every version. */
  validateServed(object: ApiObject): FieldError[];
  /**
   * Checks an update against rules of this version beside those of every version. Both objects are in the storage
   * version.
   */
  validateServedUpdate(object: ApiObject, old: ApiObject): FieldError[];
  /**
   * Finds the errors of the new state, and of the transition from the old one, in steps; none for a valid update.
   * @param subresource the one written through; default '', the resource itself
   * @param found as for {@link validateCreate}
   */
  validateUpdate(
    object: ApiObject,
    old: ApiObject,
    subresource?: string,
    found?: readonly FieldError[],
  ): Iterable<FieldError[]>;

  /**
   * Allocates addresses and ports from the ranges of the installation. Mutates `object`. Undefined for kinds that need
   * none.
   */
  allocate(object: ApiObject, old: ApiObject | undefined, allocators: Allocators): Promise<Allocation> | undefined;
  /** Frees what a removed object held. */
  release(object: ApiObject, allocators: Allocators): Promise<void>;

  /**
   * Returns the cells of a table row, aligned with the columns of the definition. `now` is in milliseconds since the
   * epoch.
   */
  cells(object: ApiObject, now: number): Cell[];
  /** Names of the fields that field selectors may use beside metadata.name and metadata.namespace. */
  readonly selectableFieldNames: readonly string[];
  /** Returns the name of a selectable field in the storage version. */
  storedFieldName(name: string): string;
  /** Returns the name of a field of the storage version in errors about objects sent in this version. */
  refusedFieldName(storedField: string): string;
  /** Returns warnings about an accepted object; `old` in an update of the resource itself. */
  warnings(object: ApiObject, old?: ApiObject): string[];
  /** Returns the values of these fields. */
  selectableFields(object: ApiObject): Record<string, string>;
  /**
   * Whether objects of the kind run on nodes: watches see the deletion mark before the object is removed, even if that
   * happens at once.
   */
  readonly isGraceful: boolean;
  /** Returns the grace period of a deletion, seconds, given the requested one; 0 removes at once. */
  gracePeriod(object: ApiObject, requested?: number): number;
  /** Rules of the `scale` subresource; undefined for kinds without one. */
  readonly scale?: ScaleRules;
}

/** Rules of a generation that does not rise with every change of the desired state. */
export interface Generation<T extends object = ApiObject> {
  /** Generation of a new object; 0 for none. */
  readonly first: 0 | 1;
  /** Returns whether an update increments the generation. */
  rises(object: T, old: T): boolean;
}

/**
 * Declaration of one kind; missing members have generic behaviour.
 * @typeParam T type of the kind's objects, generated from `proto/`. Objects have been read against it: their members
 * have the declared types and are not null, but any of them may be missing. Default: any object, as for custom kinds
 * @typeParam Stored type of the objects in the storage version, if that is another one
 */
export interface KindDeclaration<T extends object = ApiObject, Stored extends object = T> {
  /** Rule for `metadata.name`. Default: that of subdomains. */
  readonly nameRule?: NameRule;
  /**
   * How metadata.generation is counted; true: from 1, and with every change of the desired state. Default: not at all.
   */
  readonly generation?: true | Generation<T>;
  /** Default false. */
  readonly createOnUpdate?: boolean;
  /** Default true. */
  readonly unconditionalUpdate?: boolean;
  /** Default `Background`. */
  readonly defaultPropagation?: 'Orphan' | 'None';
  readonly deletionWarning?: string;
  /**
   * Fields of features, in what is written other than through `status`; dropped before the object is prepared if their
   * feature is off.
   */
  readonly gatedFields?: readonly GatedFields<T>[];
  /** Fields of features in what is written through `status`. */
  readonly gatedStatus?: readonly GatedFields<T>[];
  /** Whether the status that a client sends at creation is kept. */
  readonly keepsStatusOnCreate?: boolean;
  defaults?(object: T, names: Names): void;
  prepareForCreate?(object: T, names: Names, user: Requestor): void;
  /** Prepares an update, after the generic separation of spec and status, before the generation is counted. */
  prepareForUpdate?(object: T, old: T, names: Names): void;
  /** Separations of fields by subresource, instead of the generic one. `now` is in milliseconds since 1970. */
  readonly subresources?: Readonly<Record<string, (object: T, old: T, now: number) => void>>;
  /**
   * Fields to reset by subresource, '' for the resource itself. Default: the status for the resource, everything else
   * for `status`.
   */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Prepares an object whose deletion begins but must wait. @param begins false if the deletion had already begun */
  prepareForDelete?(object: T, begins: boolean, names: Names): void;
  /** Warnings about an object that is accepted; `old` in an update of the resource itself. */
  warnings?(object: T, names: Names, old?: T): string[];
  hasFinalizers?(object: T): boolean;
  /**
   * Checks an object. In an update it runs only if the desired state changes, so that finalizers can be removed from
   * objects that were stored under laxer rules, and their status written.
   * @param old in an update, the stored object
   */
  validate?(object: T, names: Names, old?: T): FieldError[];
  /** Checks like {@link validate} and after it, in steps: for checks that take long. */
  validateInSteps?(object: T, names: Names, old?: T): Iterable<FieldError[]>;
  /**
   * Whether finalizers may have any qualified name; otherwise those without a domain must be the product's own. Default
   * false.
   */
  readonly freeFinalizers?: boolean;
  /** Checks new objects, after {@link validate}. */
  validateCreate?(object: T, names: Names): FieldError[];
  /** Checks new objects that are sent in this version, as they were sent. */
  validateServed?(object: T): FieldError[];
  /** Checks updates that are sent in this version; both objects are in the storage version. */
  validateServedUpdate?(object: Stored, old: Stored): FieldError[];
  /** Checks an update, after {@link validate}, whatever has changed and through any subresource. */
  validateUpdate?(object: T, old: T, names: Names, subresource: string): FieldError[];
  /** Checks the observed state, in an update that changes it. */
  validateStatus?(object: T, names: Names, old: T, subresource: string): FieldError[];
  allocate?(object: T, old: T | undefined, allocators: Allocators): Promise<Allocation>;
  release?(object: T, allocators: Allocators): Promise<void>;
  /** Returns cells by column name; name and age are generic. */
  row?(object: T, now: number, names: Names): Readonly<Record<string, Cell>>;
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Names of selectable fields in the storage version, where they differ. */
  readonly storedFieldNames?: ReadonlyMap<string, string>;
  /** Names in errors about fields of the storage version, where they differ. */
  readonly refusedFieldNames?: ReadonlyMap<string, string>;
  gracePeriod?(object: T, requested?: number): number;
  readonly scale?: ScaleRules<T>;
}
