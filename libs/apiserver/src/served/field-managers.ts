import { type Conversions, kindRules } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type JsonObject, type Names } from '@orch/machinery';
import { FieldManager, pathsOf } from '@orch/merge';
import type { ResourceDefinition } from '@orch/schema';
import { DeclaredModel } from './object-model.js';

/** Who keeps the owners of the fields of a resource's objects, for writes through a subresource; '' is the resource itself. */
export type FieldManagers = (subresource: string) => FieldManager;

/**
 * The field managers of a resource, made when they are first asked for.
 * @param versions all definitions of the kind: entries of `managedFields` may be of any of them
 */
export function fieldManagersOf(
  definition: ResourceDefinition,
  versions: readonly ResourceDefinition[],
  conversions: Conversions,
  names: Names,
): FieldManagers {
  const models = new Map(
    versions.map((version) => [formatApiVersion(version), new DeclaredModel(version, version.schema)]),
  );
  const known = new Map<string, FieldManager>();
  const converted = (object: JsonObject, apiVersion: string) => {
    if (!models.has(apiVersion)) return undefined;
    return conversions.between(
      String(object.apiVersion),
      apiVersion,
      definition.kind,
    )(object as ApiObject) as JsonObject;
  };
  const make = (subresource: string) =>
    new FieldManager(
      {
        apiVersion: formatApiVersion(definition),
        kind: definition.kind,
        ...(subresource !== '' && { subresource }),
        typesOf: (apiVersion) => models.get(apiVersion)?.types(),
        resetFields: new Map(
          versions.map((version) => [
            formatApiVersion(version),
            pathsOf(kindRules(version, names).resetFields(subresource)),
          ]),
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
