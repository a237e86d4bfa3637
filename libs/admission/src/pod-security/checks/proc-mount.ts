import type { Container } from '@orch/schema/types/core/v1';
import type { Check, PodCheck } from '../check.js';
import { named, quoted, sorted } from './wording.js';

const typeOf = ({ securityContext }: Container): string | undefined => securityContext?.procMount;

const check: PodCheck = ({ containers }) => {
  const found = containers.filter((container) => (typeOf(container) ?? 'Default') !== 'Default');
  if (found.length === 0) return undefined;
  const types = sorted(found.map((container) => typeOf(container) ?? ''));
  return { reason: 'procMount', detail: `${named(found)} must not set securityContext.procMount to ${quoted(types)}` };
};

/** Forbids unmasking what the container runtime hides in `/proc`. */
export const procMount: Check = { id: 'procMount', level: 'baseline', versions: [{ since: 0, check }] };
