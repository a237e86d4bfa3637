import type { Draft, StageTools } from './draft.js';

/** Nobody gives what it has not: the writers of roles and bindings are held to it. @throws StatusError 403, 404 */
export const escalation = (draft: Draft, { grants }: StageTools): void | Promise<void> =>
  draft.operation === 'DELETE' ? undefined : grants.check(draft);
