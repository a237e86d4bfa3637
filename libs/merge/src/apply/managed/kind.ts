import type { JsonObject } from '@orch/machinery';
import type { FieldSet } from '../paths/field-set.js';
import type { Type } from '../types/type.js';

/** Types for the ownership of objects in one version of a kind. */
export interface VersionTypes {
  /** Type of objects as the server stores them: with zeros, for built-in kinds (see {@link declaredType}). */
  readonly stored: Type;
  /** Type of an applied configuration, without zeros. Equal to `stored` for custom kinds. */
  readonly configuration: Type;
}

/** Schema information about a kind that managing its fields needs, for requests in one version. */
export interface ManagedKind {
  /** Version of the requests: `apps/v1`. */
  readonly apiVersion: string;
  /** Kind of the objects: `Deployment`. */
  readonly kind: string;
  /** Subresource that the requests write: `status`; unset for the object itself. */
  readonly subresource?: string;
  /**
   * Returns the types of a version; undefined when it does not exist (any more): fields owned in it lose their owner.
   */
  readonly typesOf: (apiVersion: string) => VersionTypes | undefined;
  /** Fields that writes here do not change, by version: the status for the object itself, the spec for its status. */
  readonly resetFields?: Pick<ReadonlyMap<string, FieldSet>, 'get'>;
}

/** Types of a version for kinds whose stored and applied objects have the same type. */
export const bothTypes = (type: VersionTypes['stored']): VersionTypes => ({ stored: type, configuration: type });

/** The object's name in messages: `namespace/name; group/version, Kind=Kind`. */
export function objectText({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as JsonObject;
  return `${namespace ?? ''}/${name ?? ''}; ${kindText(String(apiVersion ?? ''), String(kind ?? ''))}`;
}

/** A kind in messages; the core group is the empty one. */
export const kindText = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
