import type { ContainerSecurity } from '../../containers.js';

/** Capabilities of a container that says nothing: those of other runtimes without the ones that reach beyond files and processes of its own. */
const DEFAULT = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'NET_RAW'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
];
const ALL = 'ALL';

const bare = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');

/** Returns the capabilities of a container, without `CAP_`. */
export function capabilitiesOf({ capabilities }: ContainerSecurity): string[] {
  const [add, drop] = [(capabilities?.add ?? []).map(bare), (capabilities?.drop ?? []).map(bare)];
  const kept = drop.includes(ALL) ? [] : DEFAULT.filter((name) => !drop.includes(name));
  return [...new Set([...kept, ...add])].sort();
}

/** Returns the capabilities that were asked for beyond what containers of this runtime may have. */
export function excessCapabilities({ capabilities }: ContainerSecurity): string[] {
  return (capabilities?.add ?? []).map(bare).filter((name) => !DEFAULT.includes(name));
}
