import { ACTION } from '../framework/cluster-event.js';
import type { PreEnqueuePlugin } from '../framework/plugin.js';

const NAME = 'SchedulingGates';

/** Keeps pods out of the queue that have scheduling gates (KEP-3521). */
export const schedulingGates: PreEnqueuePlugin = {
  name: NAME,
  events: [{ resource: 'Pod', actions: ACTION.update }],
  preEnqueue({ pod }) {
    const gates = pod.spec?.schedulingGates ?? [];
    if (gates.length === 0) return undefined;
    const names = gates.map(({ name = '' }) => name).join(' ');
    return { plugin: NAME, reasons: [`waiting for scheduling gates: [${names}]`], isResolvable: false };
  },
};
