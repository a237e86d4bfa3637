import type { Check, PodCheck } from '../check.js';

const ALLOWED = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];

const only =
  (allowed: readonly string[]): PodCheck =>
  ({ spec }) => {
    const set = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name);
    const found = set.filter((name) => !allowed.includes(name));
    return found.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: found.join(', ') };
  };

/** Allows only sysctls that do not affect other pods. */
export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: [
    { since: 0, check: only(ALLOWED) },
    { since: 27, check: only([...ALLOWED, 'net.ipv4.ip_local_reserved_ports']) },
  ],
};
