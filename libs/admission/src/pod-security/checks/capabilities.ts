import type { Container } from '@orch/schema/types/core/v1';
import type { Check, PodCheck } from '../check.js';
import { named, quoted, sorted } from './wording.js';

/** Capabilities that a container runtime grants by default. */
const USUAL: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const LEAST: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

const addedBeyond = ({ securityContext }: Container, allowed: ReadonlySet<string>): string[] =>
  (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));

function additions(containers: readonly Container[], allowed: ReadonlySet<string>): string | undefined {
  const found = containers.filter((container) => addedBeyond(container, allowed).length > 0);
  if (found.length === 0) return undefined;
  const added = sorted(found.flatMap((container) => addedBeyond(container, allowed)));
  return `${named(found)} must not include ${quoted(added)} in securityContext.capabilities.add`;
}

/** Forbids containers to add capabilities beyond the default ones. */
export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [
    {
      since: 0,
      check: ({ containers }) => {
        const detail = additions(containers, USUAL);
        return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
      },
    },
  ],
};

const check: PodCheck = ({ containers }) => {
  const keeping = containers.filter(({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
  const added = additions(containers, LEAST);
  const details = [
    ...(keeping.length > 0 ? [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** Requires containers to drop all capabilities; only the one for ports below 1024 may be added. */
export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  overrides: capabilitiesBaseline.id,
  versions: [
    { since: 22, check },
    { since: 25, check: (pod) => (pod.isWindows ? undefined : check(pod)) },
  ],
};
