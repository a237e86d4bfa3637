import {
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  prefixLength,
  qualifiedNameErrors,
} from '@orch/machinery';
import type { Service, ServiceSpec } from '@orch/schema/types/core/v1';
import { invalidEach, portNumberErrors } from '../rules/checks.js';
import { each } from '../rules/lists.js';

const ONLY = "may only be used when `type` is 'LoadBalancer'";
/** The port of the agent of a node, which no balancer may open. */
const AGENT_PORT = 10250;
const RANGES = 'spec.LoadBalancerSourceRanges';

const isBalanced = (spec: ServiceSpec | undefined): boolean => spec?.type === 'LoadBalancer';

/** Refuses what goes with load balancers only. */
export const validateBalancing = ({ metadata, spec }: Service, names: Names): FieldError[] => [
  ...(isBalanced(spec) ? refuseAgentPort(spec) : []),
  ...validateSources(spec, metadata?.annotations ?? {}, names),
  ...(!isBalanced(spec) && typeof spec?.allocateLoadBalancerNodePorts === 'boolean'
    ? [forbiddenField('spec.allocateLoadBalancerNodePorts', ONLY)]
    : []),
  ...validateClass(spec),
];

const refuseAgentPort = (spec: ServiceSpec | undefined): FieldError[] =>
  each(spec?.ports ?? [], 'spec.ports', ({ port }, field) =>
    port === AGENT_PORT
      ? [invalidValue(field, port, `may not expose port ${AGENT_PORT} externally since it is used by kubelet`)]
      : [],
  );

/** Checks the networks that may reach the balancer, in a list or, in the older way, in an annotation. */
function validateSources(
  spec: ServiceSpec | undefined,
  annotations: Readonly<Record<string, string>>,
  names: Names,
): FieldError[] {
  const key = names.key('service.beta.orch.io/load-balancer-source-ranges');
  const ranges = spec?.loadBalancerSourceRanges ?? [];
  const note = annotations[key];
  const listed = ranges.length > 0;
  if (!listed && note === undefined) return [];
  const field = listed ? RANGES : `metadata.annotations[${key}]`;
  const networks = listed ? ranges : (note ?? '').trim() === '' ? [] : (note ?? '').trim().split(',');
  const shown = listed ? `[${ranges.join(' ')}]` : note;
  const text = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ';
  return [
    ...(isBalanced(spec) ? [] : [forbiddenField(field, ONLY)]),
    ...(networks.every((network) => prefixLength(network.trim()) !== undefined)
      ? []
      : [invalidValue(field, shown, text)]),
  ];
}

function validateClass(spec: ServiceSpec | undefined): FieldError[] {
  const name = spec?.loadBalancerClass;
  if (typeof name !== 'string') return [];
  if (!isBalanced(spec)) return [forbiddenField('spec.loadBalancerClass', ONLY)];
  return invalidEach('spec.loadBalancerClass', name, qualifiedNameErrors(name));
}

/** Whether a balancer asks each node if it has pods of the Service. */
const needsHealthCheck = (spec: ServiceSpec | undefined): boolean =>
  isBalanced(spec) && spec?.externalTrafficPolicy === 'Local';

/** Checks the port of health checks; an unset one is allocated. */
export function validateHealthCheck(spec: ServiceSpec | undefined): FieldError[] {
  const port = spec?.healthCheckNodePort ?? 0;
  const field = 'spec.healthCheckNodePort';
  if (port === 0) return [];
  if (needsHealthCheck(spec)) return invalidEach(field, port, portNumberErrors(port));
  const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalidValue(field, port, text)];
}

/** A balancer stays with its class, and with the port at which it asks. */
export function validateBalancingUpdate(spec: ServiceSpec | undefined, before: ServiceSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const name = spec?.loadBalancerClass;
  if (isBalanced(spec) && isBalanced(before) && (name ?? undefined) !== (before?.loadBalancerClass ?? undefined)) {
    errors.push(invalidValue('spec.loadBalancerClass', name, 'may not change once set'));
  }
  const [now, was] = [spec, before].map((each) => each?.healthCheckNodePort ?? 0);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && now !== was) {
    errors.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'));
  }
  return errors;
}

/** Checks that the two annotations for topology-aware routing agree. */
export function validateTopology({ metadata }: Service, names: Names): FieldError[] {
  const [hints, mode] = ['service.orch.io/topology-aware-hints', 'service.orch.io/topology-mode'].map((key) =>
    names.key(key),
  ) as [string, string];
  const annotations = metadata?.annotations ?? {};
  const [hinted, chosen] = [annotations[hints], annotations[mode]];
  if (hinted === undefined || chosen === undefined || hinted === chosen) return [];
  const text = `must match annotations[${hints}] when both are specified`;
  return [invalidValue(`metadata.annotations[${mode}]`, chosen, text)];
}
