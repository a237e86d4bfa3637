import type { Check, PodCheck } from '../check.js';
import { setters } from './wording.js';

const check: PodCheck = ({ spec, containers }) => {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const found = containers.filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess);
  if (!ofPod && found.length === 0) return undefined;
  const who = setters(ofPod, found);
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** No container is a process of its Windows node. */
export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  level: 'baseline',
  versions: [{ since: 0, check }],
};
