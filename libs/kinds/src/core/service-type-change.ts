import { equal } from '../values/equal.js';
import { type Json, objectsAt } from '../values/fields.js';

/** Members that go with some types only, and when they do. */
const DEPENDENT: Readonly<Record<string, (spec: Json) => boolean>> = {
  healthCheckNodePort: (spec) => isBalanced(spec) && spec.externalTrafficPolicy === 'Local',
  allocateLoadBalancerNodePorts: isBalanced,
  loadBalancerClass: isBalanced,
  externalTrafficPolicy: (spec) => isBalanced(spec) || spec.type === 'NodePort',
};

function isBalanced(spec: Json): boolean {
  return spec.type === 'LoadBalancer';
}

const opensNodePorts = (spec: Json): boolean =>
  spec.type === 'NodePort' || (isBalanced(spec) && spec.allocateLoadBalancerNodePorts !== false);

/** A Service that changes its type loses what the old one had and the new one has not, unless it asks for something else. Mutates. */
export function dropDependent(spec: Json, before: Json): void {
  const ports = objectsAt(spec, 'ports');
  if (opensNodePorts(before) && !opensNodePorts(spec) && equal(nodePorts(spec), nodePorts(before))) {
    for (const port of ports) delete port.nodePort;
  }
  const lost = Object.keys(DEPENDENT).filter(
    (name) => DEPENDENT[name]?.(before) && !DEPENDENT[name]?.(spec) && equal(spec[name], before[name]),
  );
  for (const name of lost) delete spec[name];
}

const nodePorts = (spec: Json): string[] =>
  objectsAt(spec, 'ports')
    .map((port) => String(port.nodePort ?? 0))
    .sort();
