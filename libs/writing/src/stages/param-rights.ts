import type { Draft, StageTools } from './draft.js';

/**
 * Requires that writers of valid admission policies and bindings may read the parameters that these name.
 * @throws StatusError 422
 */
export const paramRights = (draft: Draft, tools: StageTools): void | Promise<void> =>
  draft.operation === 'DELETE' ? undefined : tools.paramRights.check(draft);
