import { qualifiedNameErrors } from '@orch/machinery';
import type { Toleration } from '@orch/schema/types/core/v1';
import type { PluginMaker } from '../../plugin.js';
import { podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

/**
 * Adds tolerations to pods that request extended resources, for the taints of the same names that keep other pods off
 * the nodes with these.
 */
export const extendedResourceToleration: PluginMaker = ({ names }) => ({
  name: 'ExtendedResourceToleration',
  handles: (target) => target.operation !== 'DELETE' && isAboutPods(target),
  admit(attributes) {
    const { spec = {} } = podOf(attributes);
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    const asked = containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
    const native = names.key('orch.io/');
    const extended = [...new Set(asked)].filter((name) => isExtended(name, native)).sort();
    for (const key of extended) spec.tolerations = withToleration(spec.tolerations ?? [], key);
  },
});

/** Returns whether a resource is an extended one: not one of the system's own, and with a valid qualified name. */
function isExtended(name: string, native: string): boolean {
  if (!name.includes('/') || name.includes(native) || name.startsWith('requests.')) return false;
  return qualifiedNameErrors(`requests.${name}`).length === 0;
}

function withToleration(tolerations: Toleration[], key: string): Toleration[] {
  const wanted: Toleration = { key, operator: 'Exists', effect: 'NoSchedule' };
  const isWanted = ({ key: other, operator, effect, value = '' }: Toleration) =>
    other === key && operator === 'Exists' && effect === 'NoSchedule' && value === '';
  if (tolerations.some(isWanted)) return tolerations.map((one) => (isWanted(one) ? wanted : one));
  return [...tolerations, wanted];
}
