import { RELEASE } from '@orch/runtime';
import { API_RELEASE } from '@orch/schema';
import type { VersionInfo } from '../chain/fallback-app.js';

const [major = '', minor = ''] = API_RELEASE.split('.');

/** What `GET /version` says: the release whose API this is, as clients compare it with theirs, and behind it our own. */
export const VERSION: VersionInfo = {
  major,
  minor,
  gitVersion: `v${API_RELEASE}+orch.${RELEASE}`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
};
