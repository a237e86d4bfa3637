import type { VersionInfo } from '../chain/fallback-app.js';

/** What `GET /version` says: the release whose API this is, as clients compare it with theirs. */
export const VERSION: VersionInfo = {
  major: '1',
  minor: '27',
  gitVersion: 'v1.27.16',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
};
