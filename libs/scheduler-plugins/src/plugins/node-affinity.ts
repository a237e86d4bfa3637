import { NodeSelector, NodeSelectorTerm } from '@orch/machinery';
import type { PreferredSchedulingTerm, NodeSelectorTerm as TermObject } from '@orch/schema/types/core/v1';
import { ACTION } from '../framework/cluster-event.js';
import type { NodeInfo } from '../framework/node-info.js';
import { type FilterPlugin, normalizeScores, type Rejection, type ScorePlugin } from '../framework/plugin.js';
import type { NodeAffinityArgs } from '../framework/plugin-args.js';
import type { PodInfo } from '../framework/pod-info.js';

const NAME = 'NodeAffinity';
const reject = (reason: string): Rejection => ({ plugin: NAME, reasons: [reason], isResolvable: false });
const NO_MATCH = reject("node(s) didn't match Pod's node affinity/selector");
const NOT_ADDED = reject("node(s) didn't match scheduler-enforced node affinity");
const CONFLICT = reject('pod affinity terms conflict');

/** Returns whether a node is one that the selector and the required node affinity of a pod mean. */
export function requiredNodeAffinity({ pod }: PodInfo): ((node: NodeInfo) => boolean) | undefined {
  const { nodeSelector, affinity } = pod.spec ?? {};
  const wanted = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (wanted.length === 0 && !required) return undefined;
  const selector = required && new NodeSelector(required.nodeSelectorTerms ?? []);
  return (node) => {
    if (!wanted.every(([key, value]) => node.labels[key] === value)) return false;
    // A term that cannot be parsed matches nothing; others may.
    return selector === undefined || selector.terms.some((term) => term.matches(node));
  };
}

/** Keeps pods to the nodes that their selector and required affinity mean, and prefers those that they prefer. */
export function nodeAffinity({ addedAffinity }: NodeAffinityArgs): FilterPlugin & ScorePlugin {
  const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const addedSelector = added && new NodeSelector(added.nodeSelectorTerms ?? []);
  const addedTerms = weighted(addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []);
  return {
    name: NAME,
    events: [{ resource: 'Node', actions: ACTION.add | ACTION.update }],
    prepare(pod) {
      const isRequired = requiredNodeAffinity(pod);
      if (!isRequired && !addedSelector) return undefined;
      const candidates = namedNodes(pod);
      if (candidates?.size === 0) return CONFLICT;
      return {
        ...(candidates && { candidates }),
        filter(node) {
          if (addedSelector && !addedSelector.terms.some((term) => term.matches(node))) return NOT_ADDED;
          return isRequired === undefined || isRequired(node) ? undefined : NO_MATCH;
        },
      };
    },
    score({ pod }, nodes) {
      const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      const terms = [...addedTerms, ...weighted(preferred)];
      if (terms.length === 0) return undefined;
      return normalizeScores(
        nodes.map((node) => preferenceOf(terms, node)),
        false,
      );
    },
  };
}

/** Names of the only nodes that the terms of a pod mean; undefined where a term names none. */
function namedNodes({ pod }: PodInfo): ReadonlySet<string> | undefined {
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const named = namesIn(term);
    if (!named) return undefined;
    for (const name of named) names.add(name);
  }
  return names;
}

function namesIn({ matchFields = [] }: TermObject): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== 'metadata.name' || operator !== 'In') continue;
    names = new Set(values.filter((value) => names?.has(value) ?? true));
  }
  return names;
}

/** A preferred term, parsed. */
interface WeightedTerm {
  readonly term: NodeSelectorTerm;
  readonly weight: number;
}

/** Returns the preferred terms that count. @throws SelectorError */
export function weighted(terms: readonly PreferredSchedulingTerm[]): readonly WeightedTerm[] {
  const counting = terms.filter(({ weight = 0 }) => weight !== 0);
  const parsed = counting.map(({ weight = 0, preference = {} }) => ({
    term: new NodeSelectorTerm(preference),
    weight,
  }));
  return parsed.filter(({ term }) => !term.isEmpty);
}

/** Sum of the weights of the terms that match a node. */
export function preferenceOf(
  terms: readonly WeightedTerm[],
  node: { name: string; labels: NodeInfo['labels'] },
): number {
  let sum = 0;
  for (const { term, weight } of terms) if (term.matches(node)) sum += weight;
  return sum;
}
