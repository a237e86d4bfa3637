import type { KindRules } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type GroupVersionKind, type JsonObject } from '@orch/machinery';
import { FieldManager, pathsOf } from '@orch/merge';
import type { ObjectModel } from './object-model.js';

/** Who keeps the owners of the fields of a resource's objects, for writes through a subresource; '' is the resource itself. */
export type FieldManagers = (subresource: string) => FieldManager;

/** A version of a kind as far as owners of fields speak of it. */
export interface ManagedVersion extends Pick<KindRules, 'resetFields'> {
  readonly model: ObjectModel;
}

/** Brings an object of a kind to another of its versions; a promise where somebody outside is asked. Leaves its argument as it is. */
export type WholeConversion = (object: ApiObject, apiVersion: string) => ApiObject | Promise<ApiObject>;

/**
 * The field managers of a resource, made when they are first asked for.
 * @param served the version that they are for
 * @param versions all of the kind: entries of `managedFields` may be of any of them
 */
export function fieldManagersOf(
  served: GroupVersionKind,
  versions: readonly ManagedVersion[],
  convert: WholeConversion,
): FieldManagers {
  const models = new Map(versions.map(({ model }) => [formatApiVersion(model), model]));
  const known = new Map<string, FieldManager>();
  const converted = (object: JsonObject, apiVersion: string) =>
    models.has(apiVersion) ? (convert(object as ApiObject, apiVersion) as JsonObject | Promise<JsonObject>) : undefined;
  const make = (subresource: string) =>
    new FieldManager(
      {
        apiVersion: formatApiVersion(served),
        kind: served.kind,
        ...(subresource !== '' && { subresource }),
        typesOf: (apiVersion) => models.get(apiVersion)?.types(),
        resetFields: new Map(
          versions.map(({ model, resetFields }) => [formatApiVersion(model), pathsOf(resetFields(subresource))]),
        ),
      },
      converted,
    );
  return (subresource) => {
    const manager = known.get(subresource) ?? make(subresource);
    known.set(subresource, manager);
    return manager;
  };
}
