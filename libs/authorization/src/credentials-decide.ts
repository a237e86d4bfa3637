import { ALLOW, type Authorizer, MASTERS, NO_OPINION } from './authorizer.js';

const PUBLIC_PATHS = /^\/(?:(?:livez|readyz|healthz)(?:\/.*)?|version\/?)$/;
/** The same, as rules say it. */
const PUBLIC_PATTERNS = [
  '/livez',
  '/livez/*',
  '/readyz',
  '/readyz/*',
  '/healthz',
  '/healthz/*',
  '/version',
  '/version/',
];
const UNAUTHENTICATED = 'system:unauthenticated';

/**
 * The rule until policies exist: who has credentials may do everything but act as another, which masters may; who has none may
 * see health and version.
 */
export const credentialsDecide: Authorizer = {
  async authorize(user, { verb, isResourceRequest, path }) {
    if (verb === 'impersonate' && isResourceRequest) return user.groups.includes(MASTERS) ? ALLOW : NO_OPINION;
    if (!user.groups.includes(UNAUTHENTICATED)) return ALLOW;
    return !isResourceRequest && PUBLIC_PATHS.test(path) ? ALLOW : NO_OPINION;
  },
  async rulesFor({ groups }) {
    if (groups.includes(UNAUTHENTICATED)) {
      const pathRules = [{ verbs: ['*'], nonResourceURLs: PUBLIC_PATTERNS }];
      return { resourceRules: [], pathRules, problems: [] };
    }
    const all = ['*'];
    return {
      resourceRules: [{ verbs: all, apiGroups: all, resources: all, resourceNames: [] }],
      pathRules: [{ verbs: all, nonResourceURLs: all }],
      problems: [],
    };
  },
};
