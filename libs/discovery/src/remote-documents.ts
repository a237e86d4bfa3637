import type { JsonObject } from '@orch/machinery';
import type { APIResourceDiscovery } from '@orch/schema/types/apidiscovery/v2beta1';

/** What is known of a group-version that another server answers for. */
export interface RemoteVersion {
  /** API group; never empty. */
  readonly group: string;
  /** Version of the group. */
  readonly version: string;
  /** `groupPriorityMinimum` of its APIService: discovery lists groups with a higher number first. */
  readonly groupPriority: number;
  /** `versionPriority` of its APIService: discovery lists versions of a group with a higher number first. */
  readonly versionPriority: number;
  /** As its server told last; empty where it has told nothing. */
  readonly resources: readonly APIResourceDiscovery[];
  /** `Stale` where it does not tell any more, or has not yet. */
  readonly freshness: 'Current' | 'Stale';
}

/** What the document of another server says of the group-versions that it answers for, in OpenAPI 2.0. */
export interface OpenApiV2Part {
  /** Operations by path. */
  readonly paths: JsonObject;
  /** Schemas by name. */
  readonly definitions: JsonObject;
}

/** What other servers tell of what they answer for; one state of it. */
export interface RemoteDocuments {
  /** Group-versions that other servers answer for. */
  readonly versions: readonly RemoteVersion[];
  /** Where the OpenAPI 3 documents of group-versions are, by `apis/<group>/<version>`. */
  readonly openApiV3: ReadonlyMap<string, string>;
  /** OpenAPI 2.0 documents of other servers, to be merged into the own one. */
  readonly openApiV2: readonly OpenApiV2Part[];
}

/** Nobody tells anything. */
export const NO_REMOTE_DOCUMENTS: RemoteDocuments = { versions: [], openApiV3: new Map(), openApiV2: [] };
