import type { ApiObject } from '@orch/machinery';
import { type Amounts, ONE, whole } from './amounts.js';
import type { Evaluator } from './usage-evaluator.js';

const COUNTED: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

interface Service extends ApiObject {
  readonly spec?: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number }[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

/** Counts services, load balancers, and the node ports that they use or will use. */
export const serviceEvaluator: Evaluator = {
  usage: (object) => usageOf(object as Service),
  counts: (name) => COUNTED.has(name),
  inScope: () => false,
  changes: true,
  limitsUpdates: true,
};

function usageOf({ spec = {} }: Service): Amounts {
  const { type, ports = [], allocateLoadBalancerNodePorts } = spec;
  const usage = new Map([
    ['count/services', ONE],
    ['services', ONE],
  ]);
  if (type === 'NodePort') usage.set('services.nodeports', whole(ports.length));
  if (type !== 'LoadBalancer') return usage;
  // If the balancer needs none, only explicitly requested ones count.
  const taken = allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort) : ports;
  return usage.set('services.nodeports', whole(taken.length)).set('services.loadbalancers', ONE);
}
