import type { QueueSortPlugin } from '../framework/plugin.js';

/** Pods of higher priority come first, then those that have waited for longer. */
export const prioritySort: QueueSortPlugin = {
  name: 'PrioritySort',
  compare: (a, b) => b.info.priority - a.info.priority || a.queuedAt - b.queuedAt,
};
