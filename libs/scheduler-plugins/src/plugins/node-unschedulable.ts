import { type Names, toleratesTaint } from '@orch/machinery';
import { ACTION } from '../framework/cluster-event.js';
import type { FilterPlugin, Rejection } from '../framework/plugin.js';

const NAME = 'NodeUnschedulable';
const CORDONED: Rejection = { plugin: NAME, reasons: ['node(s) were unschedulable'], isResolvable: false };

/** Keeps pods from nodes that are cordoned, but those that tolerate it. */
export function nodeUnschedulable(names: Names): FilterPlugin {
  const taint = { key: names.key('node.orch.io/unschedulable'), effect: 'NoSchedule' };
  return {
    name: NAME,
    events: [{ resource: 'Node', actions: ACTION.add | ACTION.updateTaints }],
    prepare({ pod }) {
      const tolerations = pod.spec?.tolerations ?? [];
      if (tolerations.some((toleration) => toleratesTaint(toleration, taint))) return undefined;
      return { filter: ({ node }) => (node.spec?.unschedulable ? CORDONED : undefined) };
    },
  };
}
