import type { SELinuxOptions } from '@orch/schema/types/core/v1';
import type { Check, PodCheck } from '../check.js';
import { plural, quoted, setters, sorted } from './wording.js';

const TYPES: ReadonlySet<string> = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);

const isForbidden = ({ type = '', user = '', role = '' }: SELinuxOptions = {}): boolean =>
  !TYPES.has(type) || user !== '' || role !== '';

const check: PodCheck = ({ spec, containers }) => {
  const ofPod = spec.securityContext?.seLinuxOptions;
  const found = containers.filter(({ securityContext }) => isForbidden(securityContext?.seLinuxOptions));
  if (!isForbidden(ofPod) && found.length === 0) return undefined;
  const all = [ofPod, ...found.map(({ securityContext }) => securityContext?.seLinuxOptions)];
  const types = sorted(all.map((options) => options?.type ?? '').filter((type) => !TYPES.has(type)));
  const what = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...(all.some((options) => options?.user) ? ['user may not be set'] : []),
    ...(all.some((options) => options?.role) ? ['role may not be set'] : []),
  ];
  const who = setters(isForbidden(ofPod), found);
  return {
    reason: 'seLinuxOptions',
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
  };
};

/** Labels of SELinux are those of containers. */
export const seLinuxOptions: Check = { id: 'seLinuxOptions', level: 'baseline', versions: [{ since: 0, check }] };
