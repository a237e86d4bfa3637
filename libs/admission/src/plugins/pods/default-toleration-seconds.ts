import type { Pod, Toleration } from '@orch/schema/types/core/v1';
import type { PluginMaker } from '../../plugin.js';
import { isAboutPods } from './pods.js';

const EVICTS = 'NoExecute';

/**
 * Adds tolerations for nodes that are not ready or unreachable to pods without them, so that they stay there for some
 * minutes.
 */
export const defaultTolerationSeconds: PluginMaker = ({ names, settings }) => {
  const defaults: readonly (readonly [key: string, seconds: number])[] = [
    [names.key('node.orch.io/not-ready'), settings.notReadyTolerationSeconds],
    [names.key('node.orch.io/unreachable'), settings.unreachableTolerationSeconds],
  ];
  return {
    name: 'DefaultTolerationSeconds',
    handles: (target) => target.operation !== 'DELETE' && isAboutPods(target),
    admit({ object }) {
      const { spec = {} } = object as Pod;
      const { tolerations = [] } = spec;
      const missing = defaults.filter(([key]) => !tolerations.some((each) => tolerates(each, key)));
      if (missing.length > 0) spec.tolerations = [...tolerations, ...missing.map(tolerationOf)];
    },
  };
};

/** Returns whether a toleration covers the eviction by a taint; an empty or absent member covers everything. */
const tolerates = ({ key, effect }: Toleration, taint: string): boolean =>
  (key || taint) === taint && (effect || EVICTS) === EVICTS;

const tolerationOf = ([key, tolerationSeconds]: readonly [string, number]): Toleration => ({
  key,
  operator: 'Exists',
  effect: EVICTS,
  tolerationSeconds,
});
