import { formatApiVersion } from '@orch/machinery';
import type { APIGroupDiscovery } from '@orch/schema/types/apidiscovery/v2beta1';
import type { APIGroup, APIResourceList, GroupVersionForDiscovery } from '@orch/schema/types/meta/v1';
import { aggregatedGroup, aggregatedGroupText } from './aggregated.js';
import type { ApiGroup, ApiVersion } from './api-groups.js';
import { resourceList } from './resource-list.js';
import { lazily } from './tagged.js';

/** Discovery of one group, each part made on first use; to be cached for as long as the group does not change. */
export class GroupDiscovery {
  /** The group as an item of `/apis`. */
  readonly listed: APIGroup;
  /** `/api/v1` or `/apis/<group>/<version>`, by apiVersion, of the versions that this server answers for. */
  readonly resources: ReadonlyMap<string, () => APIResourceList>;
  /** The group as an item of the aggregated form. */
  readonly aggregated: () => APIGroupDiscovery;
  /** JSON of {@link aggregated}. */
  readonly json: () => Buffer;

  constructor(readonly group: ApiGroup) {
    const { name, versions } = group;
    this.listed = listedGroup(group);
    this.resources = new Map(
      versions
        .filter(({ remote }) => !remote)
        .map((version) => [apiVersionOf(group, version), lazily(() => resourceList(name, version))]),
    );
    this.aggregated = lazily(() => aggregatedGroup(group));
    this.json = lazily(() => Buffer.from(aggregatedGroupText(group)));
  }
}

const apiVersionOf = ({ name }: ApiGroup, { version }: ApiVersion): string =>
  formatApiVersion({ group: name, version });

function listedGroup(group: ApiGroup): APIGroup {
  const { name, versions } = group;
  const entries = versions.map(
    (each): GroupVersionForDiscovery => ({ groupVersion: apiVersionOf(group, each), version: each.version }),
  );
  return { name, versions: entries, preferredVersion: entries[0] as GroupVersionForDiscovery };
}
