import type { Node, Taint } from '@orch/schema/types/core/v1';
import type { PluginMaker } from '../../plugin.js';

const EFFECT = 'NoSchedule';

/** Taints new nodes, so that they get no pods before they are reported ready. */
export const taintNodesByCondition: PluginMaker = ({ names }) => {
  const key = names.key('node.orch.io/not-ready');
  const isThere = (taint: Taint) => taint.key === key && taint.effect === EFFECT;
  return {
    name: 'TaintNodesByCondition',
    handles: ({ operation, group, resource, subresource }) =>
      resource === 'nodes' && operation === 'CREATE' && subresource === '' && group === '',
    admit({ object }) {
      const node = object as Node;
      node.spec ??= {};
      const { taints = [] } = node.spec;
      if (!taints.some(isThere)) node.spec.taints = [...taints, { key, effect: EFFECT }];
    },
  };
};
