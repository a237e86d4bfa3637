import type { Check, PodCheck } from '../check.js';
import { named, setters } from './wording.js';

const nonRoot: PodCheck = ({ spec, containers }) => {
  const reason = 'runAsNonRoot != true';
  const ofPod = spec.securityContext?.runAsNonRoot;
  const refusing = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (ofPod === false || refusing.length > 0) {
    return { reason, detail: `${setters(ofPod === false, refusing)} must not set securityContext.runAsNonRoot=false` };
  }
  if (ofPod) return undefined;
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named(silent)} must set securityContext.runAsNonRoot=true` };
};

/** Requires every container to declare that it does not run as root. */
export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [{ since: 0, check: nonRoot }],
};

const root: PodCheck = ({ spec, containers }) => {
  const ofPod = spec.securityContext?.runAsUser === 0;
  const found = containers.filter(({ securityContext }) => securityContext?.runAsUser === 0);
  if (!ofPod && found.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters(ofPod, found)} must not set runAsUser=0` };
};

/** Forbids the user root to be set. */
export const runAsUser: Check = { id: 'runAsUser', level: 'restricted', versions: [{ since: 23, check: root }] };
