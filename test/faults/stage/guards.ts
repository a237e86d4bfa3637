import type { Mutation } from './mutant.js';

/** The label of objects that only the administrator may write, and what others are told. */
export const GUARDED = 'guarded';
export const WHY = 'it is guarded';

/** Bearer tokens of whoever may do everything but write guarded objects, and of whom one kind of server lets do nothing. */
export const TOKENS = {
  'token-of-guest': 'guest',
  'token-of-stranger-here': 'not-at-api-server',
  'token-of-stranger-there': 'not-at-watch-gateway',
} as const;

/** An admission plugin and an authorizer, as docs/extend.md has them added. */
export const GUARDS: readonly Mutation[] = [
  {
    module: 'libs/admission/dist/plugins.js',
    part: 'const TABLE = [',
    by: `import { refusal } from './refusal.js';
const guard = () => ({
  name: 'Guard',
  handles: () => true,
  validate(attributes) {
    const { metadata } = attributes.object ?? attributes.oldObject;
    if (attributes.user.name !== 'admin' && metadata.labels?.${GUARDED}) throw refusal(attributes, '${WHY}');
  },
});
const TABLE = [
  on('Guard', guard),`,
  },
  {
    module: 'libs/apiserver/dist/server/components/chain.js',
    part: "authorizer: process.need('access').authorizer,",
    by: `authorizer: {
          authorize: async (user, request) =>
            user.name === 'not-at-' + globalThis.process.argv[2]
              ? { decision: 'deny', reason: '${WHY}' }
              : process.need('access').authorizer.authorize(user, request),
        },`,
  },
];
