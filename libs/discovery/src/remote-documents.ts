import type { JsonObject } from '@orch/machinery';
import type { APIResourceDiscovery } from '@orch/schema/types/apidiscovery/v2beta1';

/** Discovery of a group-version that an aggregated server answers for. */
export interface RemoteVersion {
  /** API group; never empty. */
  readonly group: string;
  /** Version of the group. */
  readonly version: string;
  /** `groupPriorityMinimum` of its APIService: discovery lists groups with a higher number first. */
  readonly groupPriority: number;
  /** `versionPriority` of its APIService: discovery lists versions of a group with a higher number first. */
  readonly versionPriority: number;
  /** Resources as its server last listed them; empty where it never has. */
  readonly resources: readonly APIResourceDiscovery[];
  /** `Stale` where its server does not answer, or has not been asked yet. */
  readonly freshness: 'Current' | 'Stale';
}

/** The part of an aggregated server's OpenAPI 2.0 document that describes its group-versions. */
export interface OpenApiV2Part {
  /** Operations by path. */
  readonly paths: JsonObject;
  /** Schemas by name. */
  readonly definitions: JsonObject;
}

/** Snapshot of the documents of all aggregated servers. */
export interface RemoteDocuments {
  /** Group-versions that other servers answer for. */
  readonly versions: readonly RemoteVersion[];
  /** Paths of the OpenAPI 3 documents, by `apis/<group>/<version>`. */
  readonly openApiV3: ReadonlyMap<string, string>;
  /** OpenAPI 2.0 documents of other servers, to be merged into the own one. */
  readonly openApiV2: readonly OpenApiV2Part[];
}

/** Documents where there are no other servers. */
export const NO_REMOTE_DOCUMENTS: RemoteDocuments = { versions: [], openApiV3: new Map(), openApiV2: [] };
