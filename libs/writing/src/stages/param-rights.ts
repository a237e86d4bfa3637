import type { Draft, StageTools } from './draft.js';

/** Nobody learns by admission policies what he may not read: of policies and bindings that are valid. @throws StatusError 422 */
export const paramRights = (draft: Draft, tools: StageTools): void | Promise<void> =>
  draft.operation === 'DELETE' ? undefined : tools.paramRights.check(draft);
