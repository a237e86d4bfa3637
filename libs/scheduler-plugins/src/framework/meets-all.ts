import type { PodCondition } from './cluster-view.js';
import type { PodInfo } from './pod-info.js';

/** Whether a pod meets all conditions. */
export function meetsAll(conditions: readonly PodCondition[], { namespace, labels }: PodInfo): boolean {
  return conditions.every(
    ({ namespaces, selector }) => (namespaces === undefined || namespaces.has(namespace)) && selector.matches(labels),
  );
}
