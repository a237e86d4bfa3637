import { convert, type KindRules, kindRules } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type GroupResource, type Names } from '@orch/machinery';
import { deprecationWarning, type ResourceDefinition } from '@orch/schema';
import type { Row, TypeId } from '@orch/storage';
import type { TypeDescription } from '@orch/watchcache';

/** An object as it is kept: body without apiVersion, kind and resourceVersion, and the version it was committed at. */
export type Stored = Pick<Row, 'version' | 'body'> & Partial<Pick<Row, 'storedVersion'>>;

/** The type of what is not stored: virtual resources, which operate but keep nothing (`definition.stored` is false). */
export const UNSTORED: TypeId = 0;

/** One served group/version/resource, joined with where it is stored and what rules it obeys. */
export interface Endpoint {
  readonly definition: ResourceDefinition;
  readonly groupResource: GroupResource;
  readonly apiVersion: string;
  /** The definition in whose version the objects lie in the store; the same object when it is this one. */
  readonly storage: ResourceDefinition;
  readonly storageApiVersion: string;
  /** Between the served and the stored version; undefined where they are the same. */
  readonly conversion: Conversion | undefined;
  /** Warns that the version is deprecated. */
  readonly deprecation: string | undefined;
  /** {@link UNSTORED} of a virtual resource. */
  readonly type: TypeId;
  /** Rules of the served version: defaults, cells, selectable fields, scale. */
  readonly rules: KindRules;
  /** Rules of the stored version, which writes are judged by. */
  readonly storageRules: KindRules;
  /** What selectors see of a stored object. */
  readonly description: TypeDescription;
}

/** Both leave their argument as it is. */
export interface Conversion {
  toStorage(object: ApiObject): ApiObject;
  toServed(object: ApiObject): ApiObject;
}

export function makeEndpoint(
  definition: ResourceDefinition,
  storage: ResourceDefinition,
  type: TypeId,
  names: Names,
  description: TypeDescription,
): Endpoint {
  const conversion: Conversion = {
    toStorage: (object) => convert(definition, storage, object, names),
    toServed: (object) => convert(storage, definition, object, names),
  };
  return {
    definition,
    groupResource: { group: definition.group, resource: definition.resource },
    apiVersion: formatApiVersion(definition),
    storage,
    storageApiVersion: formatApiVersion(storage),
    conversion: storage === definition ? undefined : conversion,
    deprecation: deprecationWarning(definition),
    type,
    rules: kindRules(definition, names),
    storageRules: kindRules(storage, names),
    description,
  };
}
