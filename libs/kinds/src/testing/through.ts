import type { WriteContext } from '../rules/kind-rules.js';

/** A write by an administrator; '' for the resource itself. */
export const through = (subresource = ''): WriteContext => ({
  subresource,
  now: Date.UTC(2026, 0, 1),
  user: { name: 'admin', groups: ['system:masters'], extra: {} },
});
