import { countAt, type Json, objectsAt, textAt } from '../values/fields.js';

/** A node port that a Service needs, once for all who share it. */
export interface NodePortNeed {
  /** Of the first of them. */
  readonly field: string;
  /** As it was asked for; undefined for any that is free. */
  readonly wanted: string | undefined;
  /** Puts it where it belongs. */
  readonly give: ((port: number) => void)[];
}

/** The node ports that the type of a Service calls for, in the order of its ports. */
export function nodePortNeeds(spec: Json): NodePortNeed[] {
  const balancer = textAt(spec, 'type') === 'LoadBalancer';
  const opens = textAt(spec, 'type') === 'NodePort' || (balancer && spec.allocateLoadBalancerNodePorts !== false);
  const ports = objectsAt(spec, 'ports');
  const shared = sharedNodePorts(ports);
  const needs = new Map<string, NodePortNeed>();
  const need = (field: string, wanted: number | undefined, otherwise: string, give: (port: number) => void) => {
    const id = wanted ? String(wanted) : otherwise;
    const same = needs.get(id);
    if (same) same.give.push(give);
    else needs.set(id, { field, wanted: wanted ? String(wanted) : undefined, give: [give] });
  };
  for (const [index, port] of ports.entries()) {
    const asked = countAt(port, 'nodePort');
    if (!opens && !(asked && balancer)) continue;
    need(`spec.ports[${index}].nodePort`, asked || shared.get(port.port), `of ${port.port}`, (given) => {
      port.nodePort = given;
    });
  }
  if (balancer && spec.externalTrafficPolicy === 'Local') {
    need('spec.healthCheckNodePort', countAt(spec, 'healthCheckNodePort'), 'health check', (given) => {
      spec.healthCheckNodePort = given;
    });
  }
  return [...needs.values()];
}

/** A port that is open by two protocols has one node port for both: the first that is named. */
function sharedNodePorts(ports: readonly Json[]): ReadonlyMap<unknown, number> {
  const shared = new Map<unknown, number>();
  for (const port of ports) {
    const named = countAt(port, 'nodePort');
    if (named !== 0 && !shared.has(port.port)) shared.set(port.port, named);
  }
  return shared;
}
