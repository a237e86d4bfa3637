import { RELEASE } from '@orch/runtime';
import type { VersionInfo } from '../chain/fallback-app.js';

/** The release whose API this is. */
export const API_RELEASE = '1.27.16';

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
