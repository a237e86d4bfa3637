import type { Pod } from '@orch/schema/types/core/v1';

/** Settings of the kernel that belong to the pod alone, and change nothing for others. */
const SAFE: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
]);

/** Returns a setting's name with its parts separated by dots: `net/ipv4/conf/eno2.100/x` is `net.ipv4.conf.eno2/100.x`. */
export function dottedSysctl(name: string): string {
  // The first separator says which of the two forms it is.
  if (/^[^./]*\//.test(name)) return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
  return name;
}

/** Returns why a pod may not have the settings of the kernel that it asks for; undefined where it may. */
export function forbiddenSysctl({ spec: { securityContext, hostNetwork, hostIPC } = {} }: Pod): string | undefined {
  for (const { name = '' } of securityContext?.sysctls ?? []) {
    const sysctl = dottedSysctl(name);
    if (!SAFE.has(sysctl)) return `forbidden sysctl: "${sysctl}" not allowlisted`;
    const isShared = sysctl.startsWith('net.') ? hostNetwork : hostIPC;
    const namespace = sysctl.startsWith('net.') ? 'net' : 'ipc';
    if (isShared) return `forbidden sysctl: "${sysctl}" not allowed with host ${namespace} enabled`;
  }
  return undefined;
}
