import type { PodStatus } from '@orch/schema/types/core/v1';

/** The addresses of a pod have an older field of one beside them, which is the first of them. Of two that differ the older counts. Mutates. */
export function unifyAddresses(status: PodStatus): void {
  const [first] = status.podIPs ?? [];
  const older = status.podIP ?? '';
  if (older === '') {
    if (first && (first.ip ?? '') !== '') status.podIP = first.ip ?? '';
  } else if ((first?.ip ?? '') !== older) {
    status.podIPs = [{ ip: older }];
  }
}
