import { copy } from '@orch/machinery';
import type { Service, ServicePort, ServiceSpec } from '@orch/schema/types/core/v1';
import { equal } from '../values/equal.js';
import { ensureObject, type NameOf } from '../values/fields.js';
import { addressesOf } from './service-families.js';

const isBalanced = (spec: ServiceSpec): boolean => spec.type === 'LoadBalancer';
const hasAddress = (spec: ServiceSpec): boolean => spec.type !== 'ExternalName';
const opensNodePorts = (spec: ServiceSpec): boolean => spec.type === 'NodePort' || isBalanced(spec);
/** Whether a balancer asks each node at a port of its own if it has pods of the Service. */
export const needsHealthCheckPort = (spec: ServiceSpec): boolean =>
  isBalanced(spec) && spec.externalTrafficPolicy === 'Local';

/** Members that go with some types only, and when they do. */
const DEPENDENT: { readonly [name in NameOf<ServiceSpec>]?: (spec: ServiceSpec) => boolean } = {
  ipFamilies: hasAddress,
  ipFamilyPolicy: hasAddress,
  internalTrafficPolicy: hasAddress,
  healthCheckNodePort: needsHealthCheckPort,
  allocateLoadBalancerNodePorts: isBalanced,
  loadBalancerClass: isBalanced,
  externalTrafficPolicy: opensNodePorts,
};

/**
 * Makes of what a client sends what it means: what was allocated stays where it is left out, and what the type no longer has goes
 * unless the client asks for something else, which validation refuses then. Mutates `object`.
 */
export function settleUpdate(object: Service, old: Service): void {
  const [spec, before] = [ensureObject(object, 'spec'), old.spec];
  if (!before) return;
  keepAddresses(spec, before);
  if (opensNodePorts(spec) && opensNodePorts(before)) keepNodePorts(spec.ports ?? [], before.ports ?? []);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before))
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  dropDependent(spec, before);
  if (!isBalanced(spec) && object.status) object.status = { ...object.status, loadBalancer: {} };
}

/** Clients that know one address only change or leave out that one: the list follows it. */
function keepAddresses(spec: ServiceSpec, before: ServiceSpec): void {
  if (hasAddress(spec) && hasAddress(before)) {
    spec.clusterIP ||= before.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0) spec.clusterIPs = copy(before.clusterIPs);
  }
  const [first, was] = [spec.clusterIP ?? '', before.clusterIP ?? ''];
  if (first === was) {
    if ((spec.clusterIPs ?? []).length === 0) spec.clusterIPs = copy(before.clusterIPs);
  } else if (equal(spec.clusterIPs, before.clusterIPs)) {
    spec.clusterIPs = first === '' ? undefined : [first];
  }
  for (const name of ['clusterIP', 'clusterIPs'] as const) if (spec[name] === undefined) delete spec[name];
}

/** A port that has its name still has its node port, unless another one asks for that. */
function keepNodePorts(ports: readonly ServicePort[], before: readonly ServicePort[]): void {
  const asked = nodePorts(ports);
  const olds = new Map(before.map((port) => [port.name ?? '', port.nodePort ?? 0]));
  for (const port of ports) {
    const was = olds.get(port.name ?? '');
    if (!port.nodePort && was && !asked.has(was)) port.nodePort = was;
  }
}

function dropDependent(spec: ServiceSpec, before: ServiceSpec): void {
  if (hasAddress(before) && !hasAddress(spec) && equal(addresses(spec), addresses(before))) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (opensNodePorts(before) && !opensNodePorts(spec)) dropNodePorts(spec.ports ?? [], before.ports ?? []);
  const lost = (Object.keys(DEPENDENT) as (keyof typeof DEPENDENT)[]).filter(
    (name) => DEPENDENT[name]?.(before) && !DEPENDENT[name]?.(spec) && equal(spec[name], before[name]),
  );
  for (const name of lost) delete spec[name];
}

/** Unless there are others among them than there were. */
function dropNodePorts(ports: readonly ServicePort[], before: readonly ServicePort[]): void {
  const olds = nodePorts(before);
  if ([...nodePorts(ports)].some((port) => !olds.has(port))) return;
  for (const port of ports) delete port.nodePort;
}

const addresses = (spec: ServiceSpec) => [spec.clusterIP ?? '', ...addressesOf(spec)];

const nodePorts = (ports: readonly ServicePort[]): ReadonlySet<number> =>
  new Set(ports.map((port) => port.nodePort ?? 0).filter((port) => port !== 0));
