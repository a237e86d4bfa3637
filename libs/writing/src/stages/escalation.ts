import type { Draft, StageTools } from './draft.js';

/**
 * Prevents privilege escalation: writers of roles and bindings may only grant permissions that they have.
 * @throws StatusError 403, 404
 */
export const escalation = (draft: Draft, { grants }: StageTools): void | Promise<void> =>
  draft.operation === 'DELETE' ? undefined : grants.check(draft);
