import { ALLOW, type Authorizer, MASTERS, NO_OPINION } from './authorizer.js';

const ALL = ['*'];

/** Allows everything (mode `AlwaysAllow`). */
export const alwaysAllow: Authorizer = {
  authorize: async () => ALLOW,
  rulesFor: async () => ({
    resourceRules: [{ verbs: ALL, apiGroups: ALL, resources: ALL, resourceNames: [] }],
    pathRules: [{ verbs: ALL, nonResourceURLs: ALL }],
    incomplete: false,
    problems: [],
  }),
};

const NO_RULES = { resourceRules: [], pathRules: [], incomplete: false, problems: [] } as const;

/** Allows nothing that no other authorizer allows (mode `AlwaysDeny`). */
export const alwaysDeny: Authorizer = {
  authorize: async () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: async () => NO_RULES,
};

/** Allows administrators everything, whatever policies say, so that they cannot be locked out. */
export const mastersDecide: Authorizer = {
  authorize: async ({ groups }) => (groups.includes(MASTERS) ? ALLOW : NO_OPINION),
  rulesFor: async () => NO_RULES,
};
