import { servesSubresource } from '@orch/handlers';
import { type ServedGroup, type ServedSnapshot, type Serving, weakMemo } from '@orch/resources';
import type { DocumentedResource } from '@orch/schema/openapi';
import { apiGroup, groupBy } from './api-groups.js';
import { GroupDiscovery } from './group-discovery.js';
import type { RemoteDocuments, RemoteVersion } from './remote-documents.js';
import { lazily } from './tagged.js';

/** Documented resources of one group that is served here. */
interface DocumentedGroup {
  readonly served: readonly DocumentedResource[];
  /** Discovery of the group; undefined where none of its resources are published. */
  readonly discovery: () => GroupDiscovery | undefined;
}

/** The same for as long as nothing of the group changes. */
export const documentedGroup = weakMemo((group: ServedGroup): DocumentedGroup => {
  const served = [...group.values()].flatMap((serving) => (serving.description ? [documented(serving)] : []));
  return { served, discovery: lazily(() => discoveryOf(served[0]?.group ?? '', served, [])) };
});

const documented = weakMemo(({ description: told, endpoint }: Serving): DocumentedResource => {
  const definition = told ?? endpoint.definition;
  // Documents list only subresources that this server implements.
  const subresources = definition.subresources.filter(({ name }) => servesSubresource(name));
  return { ...definition, subresources, schema: endpoint.model.documented };
});

function discoveryOf(
  name: string,
  served: readonly DocumentedResource[],
  remote: readonly RemoteVersion[],
): GroupDiscovery | undefined {
  const group = apiGroup(name, served, remote);
  return group && new GroupDiscovery(group);
}

/** Returns the discovery of all groups. Groups with versions of other servers are few, and made anew each time. */
export function describedGroups({ groups }: ServedSnapshot, { versions }: RemoteDocuments): GroupDiscovery[] {
  const elsewhere = groupBy(versions, ({ group }) => group);
  const here = [...groups]
    .filter(([name]) => !elsewhere.has(name))
    .map(([, group]) => documentedGroup(group).discovery());
  const mixed = [...elsewhere].map(([name, remote]) => {
    const group = groups.get(name);
    return discoveryOf(name, group ? documentedGroup(group).served : [], remote);
  });
  return [...here, ...mixed].filter((each) => each !== undefined);
}
