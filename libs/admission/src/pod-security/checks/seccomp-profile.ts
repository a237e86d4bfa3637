import { memberOf } from '@orch/machinery';
import type { SeccompProfile } from '@orch/schema/types/core/v1';
import type { Check, PodCheck } from '../check.js';
import { named, plural, quoted, setters, sorted } from './wording.js';

const ofAnnotations: PodCheck = ({ names, annotations, containers }) => {
  const prefix = names.key('container.seccomp.security.alpha.orch.io/');
  const keys = [names.key('seccomp.security.alpha.orch.io/pod'), ...containers.map(({ name = '' }) => prefix + name)];
  const found = sorted(
    keys.flatMap((key) => {
      const value = memberOf(annotations, key);
      return value === undefined || isAllowedText(value) ? [] : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (found.length === 0) return undefined;
  const what = plural('annotation', 'annotations', found.length);
  return { reason: 'seccompProfile', detail: `forbidden ${what} ${found.join(', ')}` };
};

const isAllowedText = (profile: string): boolean =>
  profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/');

const isAllowed = (profile: SeccompProfile): boolean =>
  profile.type === 'Localhost' || profile.type === 'RuntimeDefault';
const isForbidden = (profile: SeccompProfile | undefined): profile is SeccompProfile =>
  profile !== undefined && !isAllowed(profile);

const ofFields: PodCheck = ({ spec, containers }) => {
  const ofPod = spec.securityContext?.seccompProfile;
  const found = containers.filter(({ securityContext }) => isForbidden(securityContext?.seccompProfile));
  if (!isForbidden(ofPod) && found.length === 0) return undefined;
  const all = [ofPod, ...found.map(({ securityContext }) => securityContext?.seccompProfile)].filter(isForbidden);
  const types = quoted(sorted(all.map(({ type = '' }) => type)));
  const who = setters(isForbidden(ofPod), found);
  return { reason: 'seccompProfile', detail: `${who} must not set securityContext.seccompProfile.type to ${types}` };
};

/** No container does without a filter of system calls that it would have. */
export const seccompProfileBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, check: ofAnnotations },
    { since: 19, check: ofFields },
  ],
};

const chosen: PodCheck = (pod) => {
  const forbidden = ofFields(pod);
  if (forbidden || pod.spec.securityContext?.seccompProfile) return forbidden;
  const found = pod.containers.filter(({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (found.length === 0) return undefined;
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${named(found)} ${what}` };
};

/** Every container has a filter of system calls. */
export const seccompProfileRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  overrides: seccompProfileBaseline.id,
  versions: [
    { since: 19, check: chosen },
    { since: 25, check: (pod) => (pod.isWindows ? undefined : chosen(pod)) },
  ],
};
