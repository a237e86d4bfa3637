import type { VersionInfo } from '@orch/discovery';
import { BUILD, RELEASE } from '@orch/runtime';
import { API_RELEASE } from '@orch/schema';

const [major = '', minor = ''] = API_RELEASE.split('.');

/** Processors by the names that clients of this API know. */
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/**
 * The response to `GET /version`: the release whose API this is, as clients compare it with theirs, followed by our own
 * release, commit, date and platform of the build. Node and V8 stand in the fields of Go and its compiler.
 */
export const VERSION: VersionInfo = {
  major,
  minor,
  gitVersion: `v${API_RELEASE}+orch.${RELEASE}`,
  gitCommit: BUILD.commit,
  gitTreeState: BUILD.treeState,
  buildDate: BUILD.date,
  goVersion: `node${process.versions.node}`,
  compiler: `v8-${process.versions.v8}`,
  platform: `${process.platform}/${ARCHITECTURES[process.arch] ?? process.arch}`,
};
