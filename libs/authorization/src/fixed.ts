import { ALLOW, type Authorizer, MASTERS, NO_OPINION } from './authorizer.js';

const ALL = ['*'];

/** Lets everybody do everything (mode `AlwaysAllow`). */
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

/** Lets nobody do anything that no other authorizer allows (mode `AlwaysDeny`). */
export const alwaysDeny: Authorizer = {
  authorize: async () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: async () => NO_RULES,
};

/** Lets administrators do everything, whatever policies say: nobody can lock them out. */
export const mastersDecide: Authorizer = {
  authorize: async ({ groups }) => (groups.includes(MASTERS) ? ALLOW : NO_OPINION),
  rulesFor: async () => NO_RULES,
};
