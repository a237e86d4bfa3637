import type { ResourceAmounts } from '../../framework/amounts.js';
import { ACTION } from '../../framework/cluster-event.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { FilterPlugin, Rejection, ScorePlugin } from '../../framework/plugin.js';
import type { ResourcesFitArgs } from '../../framework/plugin-args.js';
import { allocationScores } from './allocation.js';
import { scorerOf } from './strategies.js';

const NAME = 'NodeResourcesFit';
const TOO_MANY = 'Too many pods';

/** Keeps pods from nodes that have not enough of a resource left, and scores nodes by what would be left. */
export function fit({
  ignoredResources,
  ignoredResourceGroups,
  scoringStrategy,
}: ResourcesFitArgs): FilterPlugin & ScorePlugin {
  const [names, groups] = [new Set(ignoredResources), new Set(ignoredResourceGroups)];
  const isIgnored = (name: string) => names.has(name) || groups.has(name.slice(0, Math.max(0, name.indexOf('/'))));
  const scorer = scorerOf(scoringStrategy);
  return {
    name: NAME,
    events: [
      { resource: 'Pod', actions: ACTION.delete },
      { resource: 'Node', actions: ACTION.add | ACTION.update },
    ],
    prepare({ requests }) {
      const { isAny } = requests;
      const hasOthers = namesOthers(requests);
      return {
        filter(node) {
          if (!hasOthers && fits(requests, isAny, node)) return undefined;
          const reasons = insufficient(requests, node, isIgnored);
          return reasons.length === 0 ? undefined : rejection(reasons);
        },
      };
    },
    score: (pod, nodes) => allocationScores(pod.scoredRequests, nodes, 'scored', scoringStrategy.resources, scorer),
  };
}

const rejection = (reasons: readonly string[]): Rejection => ({ plugin: NAME, reasons, isResolvable: true });

/**
 * Whether the usual resources are enough, without a list of reasons. On a node where more is requested than there is,
 * also those are missing of which the pod asks for nothing, unless it asks for nothing at all.
 */
function fits(requests: ResourceAmounts, isAny: boolean, node: NodeInfo): boolean {
  if (node.podCount >= node.maxPods) return false;
  if (!isAny) return true;
  const { allocatable, requested } = node;
  return (
    requests.cpu <= allocatable.cpu - requested.cpu &&
    requests.memory <= allocatable.memory - requested.memory &&
    requests.ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage
  );
}

function namesOthers({ others }: ResourceAmounts): boolean {
  for (const _ of others) return true;
  return false;
}

/** Returns why a node has not enough for requests, in the order of the reference. */
export function insufficient(
  requests: ResourceAmounts,
  node: NodeInfo,
  isIgnored: (name: string) => boolean,
): readonly string[] {
  const { allocatable, requested } = node;
  const reasons = node.podCount + 1 > node.maxPods ? [TOO_MANY] : [];
  if (!requests.isAny) return reasons;
  for (const name of ['cpu', 'memory', 'ephemeral-storage'])
    if (requests.get(name) > allocatable.get(name) - requested.get(name)) reasons.push(`Insufficient ${name}`);
  for (const [name, amount] of requests.others) {
    if (amount === 0 || isIgnored(name)) continue;
    if (amount > allocatable.get(name) - requested.get(name)) reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}
