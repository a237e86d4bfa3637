import type { KindRules } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type GroupVersionKind, type JsonObject } from '@orch/machinery';
import { FieldManager, type FieldSet, pathsOf } from '@orch/merge';
import type { ObjectModel } from './object-model.js';

/** Returns the field manager for writes through a subresource; '' is the resource itself. */
export type FieldManagers = (subresource: string) => FieldManager;

/** A version of a kind as far as field managers need it. */
interface ManagedVersion extends Pick<KindRules, 'resetFields'> {
  readonly model: ObjectModel;
}

/**
 * Converts an object of a kind to another of its versions; a promise if a webhook is called. Leaves its argument as it
 * is.
 */
type WholeConversion = (object: ApiObject, apiVersion: string) => ApiObject | Promise<ApiObject>;

/** Versions of a kind by apiVersion: one map for all of them, as a definition may have thousands. */
type ManagedVersions = ReadonlyMap<string, ManagedVersion>;

export const managedVersions = (versions: readonly ManagedVersion[]): ManagedVersions =>
  new Map(versions.map((version) => [formatApiVersion(version.model), version]));

/**
 * Returns the field managers of a resource, created on first use.
 * @param served served version
 * @param versions all versions of the kind: entries of `managedFields` may be of any of them
 */
export function fieldManagersOf(
  served: GroupVersionKind,
  versions: ManagedVersions,
  convert: WholeConversion,
): FieldManagers {
  const known = new Map<string, FieldManager>();
  const converted = (object: JsonObject, apiVersion: string) =>
    versions.has(apiVersion)
      ? (convert(object as ApiObject, apiVersion) as JsonObject | Promise<JsonObject>)
      : undefined;
  const make = (subresource: string) =>
    new FieldManager(
      {
        apiVersion: formatApiVersion(served),
        kind: served.kind,
        ...(subresource !== '' && { subresource }),
        typesOf: (apiVersion) => versions.get(apiVersion)?.model.types(),
        resetFields: resetFieldsOf(versions, subresource),
      },
      converted,
    );
  return (subresource) => {
    const manager = known.get(subresource) ?? make(subresource);
    known.set(subresource, manager);
    return manager;
  };
}

/** Fields that a write through a subresource cannot own, by apiVersion; computed on first use. */
function resetFieldsOf(
  versions: ManagedVersions,
  subresource: string,
): { get(apiVersion: string): FieldSet | undefined } {
  const known = new Map<string, FieldSet>();
  return {
    get(apiVersion) {
      const version = versions.get(apiVersion);
      if (!version) return undefined;
      const fields = known.get(apiVersion) ?? pathsOf(version.resetFields(subresource));
      known.set(apiVersion, fields);
      return fields;
    },
  };
}
