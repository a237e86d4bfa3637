import type { Check, PodCheck } from '../check.js';
import { named } from './wording.js';

const check: PodCheck = ({ containers }) => {
  const found = containers.filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (found.length === 0) return undefined;
  const reason = 'allowPrivilegeEscalation != false';
  return { reason, detail: `${named(found)} must set securityContext.allowPrivilegeEscalation=false` };
};

/** Processes get no more rights than the one that began them. */
export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { since: 8, check },
    { since: 25, check: (pod) => (pod.isWindows ? undefined : check(pod)) },
  ],
};
