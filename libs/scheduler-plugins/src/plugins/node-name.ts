import { ACTION } from '../framework/cluster-event.js';
import type { FilterPlugin, Rejection } from '../framework/plugin.js';

const NAME = 'NodeName';
const OTHER: Rejection = {
  plugin: NAME,
  reasons: ["node(s) didn't match the requested node name"],
  isResolvable: false,
};

/** Keeps a pod that names its node to that node. */
export const nodeName: FilterPlugin = {
  name: NAME,
  events: [{ resource: 'Node', actions: ACTION.add | ACTION.update }],
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName;
    if (!wanted) return undefined;
    return { filter: ({ name }) => (name === wanted ? undefined : OTHER) };
  },
};
