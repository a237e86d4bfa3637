import type { RequestAmounts } from '../../framework/amounts.js';
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
          if (!hasOthers) return USUAL_REJECTIONS[missingOf(requests, isAny, node)];
          const reasons = insufficient(requests, node, isIgnored);
          return reasons.length === 0 ? undefined : rejection(reasons);
        },
      };
    },
    score: (pod, nodes) => allocationScores(pod.scoredRequests, nodes, 'scored', scoringStrategy.resources, scorer),
  };
}

const rejection = (reasons: readonly string[]): Rejection => ({ plugin: NAME, reasons, isResolvable: true });

/** Resources that all nodes have, in the order of the reference. */
const USUAL = ['cpu', 'memory', 'ephemeral-storage'] as const;
/** Bits of {@link missingOf}. */
const [NO_PODS, NO_CPU, NO_MEMORY, NO_STORAGE] = [1, 2, 4, 8] as const;

/** Rejections by the bits of what is missing: most pods are rejected by many nodes for the same. */
const USUAL_REJECTIONS: readonly (Rejection | undefined)[] = Array.from({ length: 16 }, (_, bits) => {
  const missing = USUAL.filter((_name, at) => (bits & (NO_CPU << at)) !== 0).map((name) => `Insufficient ${name}`);
  return bits === 0 ? undefined : rejection((bits & NO_PODS) === 0 ? missing : [TOO_MANY, ...missing]);
});

/**
 * Returns what a node has not enough of, places for pods and the usual resources. On a node where more is requested than
 * there is, also those are missing of which the pod asks for nothing, unless it asks for nothing at all.
 */
function missingOf(requests: RequestAmounts, isAny: boolean, { podCount, maxPods, allocatable, requested }: NodeInfo) {
  let missing: number = podCount >= maxPods ? NO_PODS : 0;
  if (!isAny) return missing;
  if (requests.cpu > allocatable.cpu - requested.cpu) missing |= NO_CPU;
  if (requests.memory > allocatable.memory - requested.memory) missing |= NO_MEMORY;
  if (requests.ephemeralStorage > allocatable.ephemeralStorage - requested.ephemeralStorage) missing |= NO_STORAGE;
  return missing;
}

function namesOthers({ others }: RequestAmounts): boolean {
  for (const _ of others) return true;
  return false;
}

/** Returns why a node has not enough for requests, in the order of the reference. */
export function insufficient(
  requests: RequestAmounts,
  node: NodeInfo,
  isIgnored: (name: string) => boolean,
): readonly string[] {
  const { allocatable, requested } = node;
  const usual = USUAL_REJECTIONS[missingOf(requests, requests.isAny, node)];
  const reasons = [...(usual?.reasons ?? [])];
  for (const [name, amount] of requests.others) {
    if (amount === 0 || isIgnored(name)) continue;
    if (amount > allocatable.get(name) - requested.get(name)) reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}
