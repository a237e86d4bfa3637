import type { KindDeclaration } from '../rules/kind-rules.js';

/** Role and ClusterRole. */
export const role: KindDeclaration = { nameRule: 'pathSegment', createOnUpdate: true };
