import type { ClusterRole } from '@orch/schema/types/rbac/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateRole } from './validation.js';

/** Role, and ClusterRole, which stands outside of namespaces. */
export const role = (namespaced: boolean): KindDeclaration<ClusterRole> => ({
  nameRule: 'pathSegment',
  createOnUpdate: true,
  validate: (object) => validateRole(object, namespaced),
});
