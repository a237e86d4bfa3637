import type { ApiObject, Names } from '@orch/machinery';
import { type Amounts, addTo, amountsOf, ONE } from './amounts.js';
import { podInScope } from './scopes.js';
import type { Evaluator } from './usage-evaluator.js';

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED: ReadonlySet<string> = new Set([
  'count/pods',
  'pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** Resources that each container must declare when a quota limits them. */
const REQUIRED: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
const HUGE_PAGES = 'hugepages-';
const REQUESTS = 'requests.';
const ENDED: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed']);

interface Container {
  readonly name?: string;
  readonly resources?: { readonly requests?: unknown; readonly limits?: unknown };
}
interface Pod extends ApiObject {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly overhead?: unknown;
  };
  readonly status?: { readonly phase?: string };
}

/** Counts pods, and the requests of those that have not ended. */
export function podEvaluator(names: Names, resizing: boolean): Evaluator {
  const ownDomain = names.key('orch.io/');
  const isNative = (name: string) => !name.includes('/') || name.includes(ownDomain);
  return {
    usage: (object) => usageOf(object as Pod, isNative),
    counts: (name) =>
      COUNTED.has(name) ||
      name.startsWith(HUGE_PAGES) ||
      name.startsWith(`${REQUESTS}${HUGE_PAGES}`) ||
      (name.startsWith(REQUESTS) && !isNative(name)),
    inScope: podInScope,
    missing: (limited, object) => missing(limited, object as Pod, isNative),
    changes: true,
    limitsUpdates: resizing,
  };
}

type IsNative = (name: string) => boolean;

function usageOf({ spec = {}, status }: Pod, isNative: IsNative): Amounts {
  const usage = new Map([['count/pods', ONE]]);
  // A terminating pod counts until it is gone: nothing is written when its grace period ends.
  if (ENDED.has(status?.phase)) return usage;
  usage.set('pods', ONE);
  const overhead = amountsOf(spec.overhead);
  const requests = summed(spec, 'requests');
  addTo(requests, overhead);
  const limits = summed(spec, 'limits');
  // Overhead does not create a limit where there is none.
  addTo(limits, new Map([...overhead].filter(([name]) => (limits.get(name) ?? 0n) > 0n)));
  addTo(usage, named(requests, limits, isNative));
  return usage;
}

/**
 * Adds containers, which run concurrently, and takes the maximum with init containers, which run one after another
 * before.
 */
function summed({ containers = [], initContainers = [] }: NonNullable<Pod['spec']>, list: 'requests' | 'limits') {
  const sum = new Map<string, bigint>();
  for (const { resources } of containers) addTo(sum, amountsOf(resources?.[list]));
  for (const { resources } of initContainers)
    for (const [name, amount] of amountsOf(resources?.[list]))
      if (amount > (sum.get(name) ?? -1n)) sum.set(name, amount);
  return sum;
}

/** Returns usage by the names that quotas use. */
function named(requests: Amounts, limits: Amounts, isNative: IsNative): Map<string, bigint> {
  const usage = new Map<string, bigint>();
  for (const name of COMPUTE) {
    const [request, limit] = [requests.get(name), limits.get(name)];
    if (request !== undefined) usage.set(name, request).set(`${REQUESTS}${name}`, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, amount] of requests) {
    if (name.startsWith(HUGE_PAGES)) usage.set(name, amount).set(`${REQUESTS}${name}`, amount);
    // Nodes do not overcommit these, so only requests count.
    else if (!isNative(name)) usage.set(`${REQUESTS}${name}`, amount);
  }
  return usage;
}

/** Message in the reference's wording: `must specify limits.cpu for: app; memory for: app,sidecar`. */
function missing(limited: readonly string[], { spec = {} }: Pod, isNative: IsNative): string | undefined {
  const required = limited.filter((name) => REQUIRED.has(name)).sort();
  if (required.length === 0) return undefined;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name = '', resources }) => ({
    name,
    says: named(amountsOf(resources?.requests), amountsOf(resources?.limits), isNative),
  }));
  const problems = required.flatMap((name) => {
    const without = new Set(containers.filter(({ says }) => !says.has(name)).map((container) => container.name));
    return without.size > 0 ? [`${name} for: ${[...without].sort().join()}`] : [];
  });
  return problems.length > 0 ? `must specify ${problems.join('; ')}` : undefined;
}
