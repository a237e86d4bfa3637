import type { ApiObject, FieldError, NameRule, Names } from '@orch/machinery';
import type { Allocators } from '../allocation/allocator.js';
import type { GatedFields } from './gated-fields.js';

/** A value of a table row, in the type of its column; null where custom kinds have nothing to show. */
export type Cell = string | number | bigint | boolean | null;

/** The user who asks for a write, as far as kinds record it. */
export interface Requestor {
  /** User name, as authentication settled it; never empty. */
  readonly name: string;
  /** Unset when the way in which the user was recognised gives none. */
  readonly uid?: string;
  /** Groups, those that authentication adds included (`system:authenticated`). */
  readonly groups: readonly string[];
  /** Other attributes of the user, by key; empty when there are none. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Things that the preparing of a write may need beside the objects. */
export interface WriteContext {
  /** The user who asks for the write; the server itself for its own. */
  readonly user: Requestor;
  /** The subresource written through; '' for the resource itself. */
  readonly subresource: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Thrown for an object that has no scale where its definition says; the message is for clients. */
export class ScaleError extends Error {}

/** Numbers behind the `scale` subresource of a workload. */
export interface ScaleView {
  /** Replicas asked for; undefined where an object of a custom kind does not say. */
  readonly replicas: number | undefined;
  /** Replicas that were last counted. */
  readonly statusReplicas: number;
  /** Label selector of the pods, in its string form. */
  readonly selector: string;
}

/** Reads and writes the numbers behind the `scale` subresource of a kind. */
export interface ScaleRules<T extends object = ApiObject> {
  /** The path of the replicas asked for, with a dot before each member: `.spec.replicas`. */
  readonly replicasPath: string;
  /** Unset numbers are 0, but for the replicas asked for; an unset selector is empty. @throws ScaleError for an object of a custom kind that has other values there */
  read(object: T): ScaleView;
  /** Sets the replicas asked for. Mutates. @throws ScaleError for an object of a custom kind that has no room for them */
  write(object: T, replicas: number): void;
}

/** The result of {@link KindRules.allocate}; exactly one of the two is to be called. */
export interface Allocation {
  /** Whether it has taken anything, or has anything to give back. */
  readonly changes: boolean;
  /** The write failed or was a dry run: takes back what was taken for it. */
  undo(): Promise<void>;
  /** The write succeeded: gives back what the old object held and the new one does not. */
  settle(): Promise<void>;
}

/**
 * The rules of one kind that a declaration cannot say, complete: kinds without rules of their own get the generic
 * behaviour. Every function is pure but for the mutation that its text names.
 */
export interface KindRules {
  /** The rule for `metadata.name`. */
  readonly nameRule: NameRule;
  /** The kind counts all changes of what is desired in metadata.generation. */
  readonly hasGeneration: boolean;
  /** PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** An update may come without a resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** The propagation of a deletion when neither the DELETE nor a finalizer says; `None` for kinds that can have none. */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'None';

  /** A warning for deletions that do not say what is to become of dependents. */
  readonly deletionWarning?: string;

  /** Defaults that depend on other fields. Runs after the declared ones; mutates, and changes nothing the second time. */
  defaults(object: ApiObject): void;
  /** Resets what clients may not set. Runs once uid, name and creation time are set. Mutates. */
  prepareForCreate(object: ApiObject, context: WriteContext): void;
  /**
   * Keeps apart what the resource and its subresources may each change, and counts the generation.
   * Mutates `object` only.
   */
  prepareForUpdate(object: ApiObject, old: ApiObject, context: WriteContext): void;
  /**
   * What a write through a subresource ('' for the resource itself) leaves as it was, as paths of member names: whoever sends
   * it does not own it.
   */
  resetFields(subresource: string): readonly (readonly string[])[];
  /**
   * Marks an object whose deletion begins but must wait (finalizers, grace period). Mutates.
   * @param begins false where it had begun before
   */
  prepareForDelete(object: ApiObject, begins: boolean): void;
  /** Whether finalizers, also those that are not in metadata, still keep an object that is being deleted. */
  hasFinalizers(object: ApiObject): boolean;
  /**
   * What is wrong with a new object, all of it; empty when nothing is. Runs on prepared objects, defaults filled in. The
   * errors come in steps, between which others may have their turn when the object is large.
   * @param found what was found wrong with its metadata, of which nothing is told again; default nothing
   */
  validateCreate(object: ApiObject, found?: readonly FieldError[]): Iterable<FieldError[]>;
  /** Checks a new object for what the version that was sent asks beside the rules of every version. */
  validateServed(object: ApiObject): FieldError[];
  /** Checks an update for what this version asks beside the rules of every version. Both objects are in the one that is stored. */
  validateServedUpdate(object: ApiObject, old: ApiObject): FieldError[];
  /**
   * What is wrong with the new state, and with the step from the old one, in steps; empty when nothing is.
   * @param subresource the one written through; default '', the resource itself
   * @param found as for {@link validateCreate}
   */
  validateUpdate(
    object: ApiObject,
    old: ApiObject,
    subresource?: string,
    found?: readonly FieldError[],
  ): Iterable<FieldError[]>;

  /** Takes addresses and ports from the ranges of the installation. Mutates `object`. Undefined for kinds that take none. */
  allocate(object: ApiObject, old: ApiObject | undefined, allocators: Allocators): Promise<Allocation> | undefined;
  /** Gives back what an object that is removed held. */
  release(object: ApiObject, allocators: Allocators): Promise<void>;

  /** Cells of a table row, aligned with the columns of the definition. `now` is in milliseconds since the epoch. */
  cells(object: ApiObject, now: number): Cell[];
  /** Names of the fields that field selectors may use beside metadata.name and metadata.namespace. */
  readonly selectableFieldNames: readonly string[];
  /** The name that a selectable field has in the version that is stored. */
  storedFieldName(name: string): string;
  /** The name of a field of the stored version in refusals of what came in this version. */
  refusedFieldName(storedField: string): string;
  /** Warnings about an object that is accepted; `old` in an update of the resource itself. */
  warnings(object: ApiObject, old?: ApiObject): string[];
  /** The values of these fields. */
  selectableFields(object: ApiObject): Record<string, string>;
  /** Objects of the kind run somewhere: watches hear of the mark of a deletion before the object goes, also where it goes at once. */
  readonly isGraceful: boolean;
  /** Seconds of grace for a deletion, from the seconds asked for; 0 removes at once. */
  gracePeriod(object: ApiObject, requested?: number): number;
  /** How the `scale` subresource reads and writes the object; undefined for kinds without one. */
  readonly scale?: ScaleRules;
}

/** A generation that does not rise with everything that is desired. */
export interface Generation<T extends object = ApiObject> {
  /** That of a new object; 0: none. */
  readonly first: 0 | 1;
  /** Whether an update is one more. */
  rises(object: T, old: T): boolean;
}

/**
 * The declaration of one kind; what it leaves out is generic.
 * @typeParam T type of the kind's objects, generated from `proto/`. Objects have been read against it: their members have the
 * types that it says and are not null, but any of them may be missing. Default: any object, as of custom kinds
 * @typeParam Stored type of the objects in the version that is stored, where that is another one
 */
export interface KindDeclaration<T extends object = ApiObject, Stored extends object = T> {
  readonly nameRule?: NameRule;
  /** How metadata.generation is counted; true: from 1, and with every change of what is desired. Default: not at all. */
  readonly generation?: true | Generation<T>;
  /** Default false. */
  readonly createOnUpdate?: boolean;
  /** Default true. */
  readonly unconditionalUpdate?: boolean;
  /** Default `Background`. */
  readonly defaultPropagation?: 'Orphan' | 'None';
  readonly deletionWarning?: string;
  /** Fields that only some features bring, of what is written other than through `status`; dropped before the object is prepared. */
  readonly gatedFields?: readonly GatedFields<T>[];
  /** The same of what is written through `status`. */
  readonly gatedStatus?: readonly GatedFields<T>[];
  /** The status that a client sends along at creation is kept. */
  readonly keepsStatusOnCreate?: boolean;
  defaults?(object: T, names: Names): void;
  prepareForCreate?(object: T, names: Names, user: Requestor): void;
  /** After the generic separation of spec and status, before the generation is counted. */
  prepareForUpdate?(object: T, old: T, names: Names): void;
  /** Separations by subresource, instead of the generic one. `now` is in milliseconds since 1970. */
  readonly subresources?: Readonly<Record<string, (object: T, old: T, now: number) => void>>;
  /** Fields to reset by subresource, '' for the resource itself: instead of the generic status here and everything else there. */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** @param begins false where the deletion had begun before */
  prepareForDelete?(object: T, begins: boolean, names: Names): void;
  /** Warnings about an object that is accepted; `old` in an update of the resource itself. */
  warnings?(object: T, names: Names, old?: T): string[];
  hasFinalizers?(object: T): boolean;
  /**
   * What objects must be like. Of an update it is asked only when the desired state changes, so that finalizers can be
   * taken from objects that were stored under laxer rules, and their status written.
   * @param old in an update, the object as it is stored
   */
  validate?(object: T, names: Names, old?: T): FieldError[];
  /** Checks like {@link validate} and after it, in steps: for what takes long to look into. */
  validateInSteps?(object: T, names: Names, old?: T): Iterable<FieldError[]>;
  /** Finalizers may have any qualified name; else those without a domain are the product's own. Default false. */
  readonly freeFinalizers?: boolean;
  /** Only of new objects, after {@link validate}. */
  validateCreate?(object: T, names: Names): FieldError[];
  /** Only of new objects that are sent in this version, as they were sent. */
  validateServed?(object: T): FieldError[];
  /** Only of updates that are sent in this version; both objects as they are stored. */
  validateServedUpdate?(object: Stored, old: Stored): FieldError[];
  /** Checks of an update, after {@link validate}; whatever has changed, and through whatever subresource. */
  validateUpdate?(object: T, old: T, names: Names, subresource: string): FieldError[];
  /** Checks the observed state. Asked of an update that changes it. */
  validateStatus?(object: T, names: Names, old: T, subresource: string): FieldError[];
  allocate?(object: T, old: T | undefined, allocators: Allocators): Promise<Allocation>;
  release?(object: T, allocators: Allocators): Promise<void>;
  /** Cells by column name; name and age are generic. */
  row?(object: T, now: number, names: Names): Readonly<Record<string, Cell>>;
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Names of selectable fields in the version that is stored, where they differ. */
  readonly storedFieldNames?: ReadonlyMap<string, string>;
  /** Names in refusals of fields of the version that is stored, where they differ. */
  readonly refusedFieldNames?: ReadonlyMap<string, string>;
  gracePeriod?(object: T, requested?: number): number;
  readonly scale?: ScaleRules<T>;
}
