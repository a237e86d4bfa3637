import { ACTION } from '../framework/cluster-event.js';
import type { FilterPlugin, Rejection } from '../framework/plugin.js';

const NAME = 'NodePorts';
const TAKEN: Rejection = {
  plugin: NAME,
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  isResolvable: true,
};

/** Keeps pods from nodes of which they ask for a port that is taken. */
export const nodePorts: FilterPlugin = {
  name: NAME,
  events: [
    { resource: 'Pod', actions: ACTION.delete },
    { resource: 'Node', actions: ACTION.add | ACTION.update },
  ],
  prepare({ ports }) {
    if (ports.length === 0) return undefined;
    return { filter: (node) => (ports.some((port) => node.ports.collides(port)) ? TAKEN : undefined) };
  },
};
