import type { ServicePort, ServiceSpec } from '@orch/schema/types/core/v1';
import { needsHealthCheckPort } from './service-update.js';

/** A node port that a Service needs, once for all who share it. */
interface NodePortNeed {
  /** The path of the first of them. */
  readonly field: string;
  /** The requested port; undefined for any free one. */
  readonly wanted: string | undefined;
  /** The Service has it already, or asks for it, for something else. */
  readonly own: boolean;
  /** Puts it where it belongs. */
  readonly give: ((port: number) => void)[];
}

/**
 * The node ports that the type of a Service calls for, in the order of its ports, the one of the health check last.
 * @param before what the Service was; undefined for a new one, whose ports of one number share a node port
 */
export function nodePortNeeds(spec: ServiceSpec, before: ServiceSpec | undefined): NodePortNeed[] {
  const needs = before ? changedPorts(spec, before) : newPorts(spec);
  if (!needsHealthCheckPort(spec)) return needs;
  const wanted = wantedOf(spec.healthCheckNodePort ?? 0);
  const kept = before !== undefined && needsHealthCheckPort(before);
  const own = !kept && wanted !== undefined && (isRequested(needs, wanted) || portsHave(before, wanted));
  const give = (port: number) => {
    spec.healthCheckNodePort = port;
  };
  return [...needs, { field: 'spec.healthCheckNodePort', wanted, own, give: [give] }];
}

const wantedOf = (port: number): string | undefined => (port ? String(port) : undefined);

const isRequested = (needs: readonly NodePortNeed[], wanted: string): boolean =>
  needs.some((need) => need.wanted === wanted);

const portsHave = (spec: ServiceSpec | undefined, wanted: string): boolean =>
  (spec?.ports ?? []).some((port) => wantedOf(port.nodePort ?? 0) === wanted);

/** The ports that have or get a node port. */
function opened(spec: ServiceSpec): { readonly port: ServicePort; readonly field: string }[] {
  const balanced = spec.type === 'LoadBalancer';
  if (!balanced && spec.type !== 'NodePort') return [];
  const all = !balanced || spec.allocateLoadBalancerNodePorts !== false;
  return (spec.ports ?? []).flatMap((port, index) =>
    all || (port.nodePort ?? 0) !== 0 ? [{ port, field: `spec.ports[${index}].nodePort` }] : [],
  );
}

const giveTo = (port: ServicePort) => (given: number) => {
  port.nodePort = given;
};

/** A number that is open by two protocols has one node port for both, the first that is named, unless both name one. */
function newPorts(spec: ServiceSpec): NodePortNeed[] {
  const named = new Map<unknown, number>();
  for (const { port } of opened(spec))
    if (port.nodePort && !named.has(port.port)) named.set(port.port, port.nodePort ?? 0);
  const needs: NodePortNeed[] = [];
  const first = new Map<unknown, NodePortNeed>();
  for (const { port, field } of opened(spec)) {
    const shared = first.get(port.port);
    const asked = wantedOf(port.nodePort ?? 0);
    if (shared && (asked === undefined || asked === shared.wanted)) {
      shared.give.push(giveTo(port));
      continue;
    }
    const wanted = shared ? asked : wantedOf(named.get(port.port) ?? 0);
    const need = { field, wanted, own: wanted !== undefined && isRequested(needs, wanted), give: [giveTo(port)] };
    if (!shared) first.set(port.port, need);
    needs.push(need);
  }
  return needs;
}

/** Ports that ask for the same node port share it; each other one gets its own. */
function changedPorts(spec: ServiceSpec, before: ServiceSpec): NodePortNeed[] {
  const needs = new Map<unknown, NodePortNeed>();
  const checked = needsHealthCheckPort(before) ? wantedOf(before.healthCheckNodePort ?? 0) : undefined;
  for (const { port, field } of opened(spec)) {
    const wanted = wantedOf(port.nodePort ?? 0);
    const same = wanted === undefined ? undefined : needs.get(wanted);
    if (same) same.give.push(giveTo(port));
    else
      needs.set(wanted ?? port, {
        field,
        wanted,
        own: wanted !== undefined && wanted === checked,
        give: [giveTo(port)],
      });
  }
  return [...needs.values()];
}
