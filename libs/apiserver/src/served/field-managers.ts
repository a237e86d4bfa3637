import { type Conversions, kindRules } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type JsonObject, type Names } from '@orch/machinery';
import { declaredType, FieldManager, pathsOf, type VersionTypes } from '@orch/merge';
import type { ResourceDefinition } from '@orch/schema';

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
  const byVersion = new Map(versions.map((version) => [formatApiVersion(version), version]));
  const known = new Map<string, FieldManager>();
  const converted = (object: JsonObject, apiVersion: string) => {
    if (!byVersion.has(apiVersion)) return undefined;
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
        typesOf: (apiVersion) => typesOf(byVersion.get(apiVersion)),
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

function typesOf(definition: ResourceDefinition | undefined): VersionTypes | undefined {
  if (!definition) return undefined;
  const { schema } = definition;
  return { stored: declaredType(schema, { zeros: true }), said: declaredType(schema, { zeros: false }) };
}
