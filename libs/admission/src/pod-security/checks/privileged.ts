import type { Check, PodCheck } from '../check.js';
import { named } from './wording.js';

const check: PodCheck = ({ containers }) => {
  const found = containers.filter(({ securityContext }) => securityContext?.privileged);
  if (found.length === 0) return undefined;
  return { reason: 'privileged', detail: `${named(found)} must not set securityContext.privileged=true` };
};

/** No container has nearly all rights on its node. */
export const privileged: Check = { id: 'privileged', level: 'baseline', versions: [{ since: 0, check }] };
