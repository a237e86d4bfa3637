import { ALLOW, type Authorizer, NO_OPINION } from './authorizer.js';

const PUBLIC_PATHS = /^\/(?:(?:livez|readyz|healthz)(?:\/.*)?|version\/?)$/;
const UNAUTHENTICATED = 'system:unauthenticated';

/** The rule until policies exist: who has credentials may do everything, who has none may see health and version. */
export const credentialsDecide: Authorizer = {
  async authorize(user, { isResourceRequest, path }) {
    if (!user.groups.includes(UNAUTHENTICATED)) return ALLOW;
    return !isResourceRequest && PUBLIC_PATHS.test(path) ? ALLOW : NO_OPINION;
  },
};
