import type { Check, PodCheck } from '../check.js';
import { plural } from './wording.js';

const isAllowed = (profile: string): boolean =>
  profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');

const check: PodCheck = ({ names, annotations }) => {
  const prefix = names.key('container.apparmor.security.beta.orch.io/');
  const found = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(prefix) && !isAllowed(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  if (found.length === 0) return undefined;
  const reason = plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', found.length);
  return { reason, detail: found.join(', ') };
};

/** No container does without the AppArmor profile of its runtime, or one of its node. */
export const appArmorProfile: Check = { id: 'appArmorProfile', level: 'baseline', versions: [{ since: 0, check }] };
