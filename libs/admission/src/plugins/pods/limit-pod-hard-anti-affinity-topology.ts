import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

/** Pods keep others away from their node at most, not from more. */
export const limitPodHardAntiAffinityTopology: PluginMaker = ({ names }) => {
  const hostname = names.key('orch.io/hostname');
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    readsOnly: true,
    handles: (target) => target.operation !== 'DELETE' && isAboutPods(target),
    validate(attributes) {
      const terms = podOf(attributes).spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      const found = terms?.find(({ topologyKey }) => topologyKey !== hostname);
      if (!found) return;
      const what = 'affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey';
      throw refusal(attributes, `${what} ${found.topologyKey ?? ''} but only key ${hostname} is allowed`);
    },
  };
};
