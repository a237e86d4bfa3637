import type { KindRules } from '@orch/kinds';
import { formatApiVersion, type GroupResource } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';
import type { Row, TypeId } from '@orch/storage';
import type { TypeDescription } from '@orch/watchcache';

/** An object as it is kept: body without apiVersion, kind and resourceVersion, and the version it was committed at. */
export type Stored = Pick<Row, 'version' | 'body'>;

/** One served group/version/resource, joined with where it is stored and what rules it obeys. */
export interface Endpoint {
  readonly definition: ResourceDefinition;
  readonly groupResource: GroupResource;
  readonly apiVersion: string;
  /** The definition in whose version the objects lie in the store; the same object when it is this one. */
  readonly storage: ResourceDefinition;
  readonly storageApiVersion: string;
  readonly type: TypeId;
  readonly rules: KindRules;
  /** What selectors see of a stored object. */
  readonly description: TypeDescription;
}

export function makeEndpoint(
  definition: ResourceDefinition,
  storage: ResourceDefinition,
  type: TypeId,
  rules: KindRules,
  description: TypeDescription,
): Endpoint {
  return {
    definition,
    groupResource: { group: definition.group, resource: definition.resource },
    apiVersion: formatApiVersion(definition),
    storage,
    storageApiVersion: formatApiVersion(storage),
    type,
    rules,
    description,
  };
}
