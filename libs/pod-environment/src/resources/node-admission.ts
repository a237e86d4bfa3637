import { untoleratedTaint } from '@orch/machinery';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import { add, amountsOf, podAmounts, type ResourceAmounts } from './amounts.js';
import { matchesNode } from './node-affinity.js';
import { forbiddenSysctl } from './sysctls.js';

/** Reason for which the node refuses a pod; the pod has failed then. */
interface AdmissionRefusal {
  /** Reason of the pod's status, as `OutOfcpu`. */
  readonly reason: string;
  /** Message of the pod's status. */
  readonly message: string;
  /** Amount of a resource that is missing; absent where more resources would not help. */
  readonly missing?: { readonly resource: string; readonly amount: bigint };
}

/** The node and its pods, as admission sees them. */
interface AdmissionState {
  /** The node with its labels and taints. */
  readonly node: Node;
  /** Resources that pods can have; `pods` among them. */
  readonly allocatable: ResourceAmounts;
  /** Pods that were admitted and have not ended. */
  readonly others: readonly Pod[];
  /** Whether the pod comes from a file or URL, which taints do not concern. */
  readonly isStatic: boolean;
}

/** Returns the reasons for which the node cannot run a pod, in the order in which they count; empty if it can. */
export function admissionRefusals(pod: Pod, state: AdmissionState): AdmissionRefusal[] {
  const { node, others, isStatic } = state;
  const forbidden = forbiddenSysctl(pod);
  const refusals: AdmissionRefusal[] =
    forbidden === undefined ? [] : [{ reason: 'SysctlForbidden', message: forbidden }];
  refusals.push(...insufficientResources(pod, state));
  if (!matchesNode(pod, node)) refusals.push(failed('NodeAffinity'));
  const { nodeName = '', os } = pod.spec ?? {};
  if (nodeName !== '' && nodeName !== node.metadata?.name) refusals.push(failed('NodeName'));
  if (conflictsWithPorts(pod, others)) refusals.push(failed('NodePorts'));
  if (!isStatic && untoleratedTaint(node.spec?.taints ?? [], pod.spec?.tolerations ?? [], ['NoExecute']))
    refusals.push(failed('TaintToleration'));
  if (os?.name !== undefined && os.name !== 'linux')
    refusals.push({
      reason: 'PodOSNotSupported',
      message: "Failed to admit pod as the OS field doesn't match node OS",
    });
  return refusals;
}

const failed = (predicate: string): AdmissionRefusal => ({
  reason: predicate,
  message: `Predicate ${predicate} failed`,
});

function insufficientResources(pod: Pod, { allocatable, others }: AdmissionState): AdmissionRefusal[] {
  const used = new Map<string, bigint>();
  for (const other of others) add(used, podAmounts(other, 'requests'));
  const wanted = new Map([['pods', 1n], ...podAmounts(pod, 'requests')]);
  used.set('pods', BigInt(others.length));
  const refusals: AdmissionRefusal[] = [];
  for (const [resource, amount] of inOrder(wanted)) {
    const capacity = allocatable.get(resource);
    // A resource that the node does not know belongs to the cluster.
    if (amount === 0n || (capacity === undefined && !ALWAYS_KNOWN.includes(resource))) continue;
    const missing = (used.get(resource) ?? 0n) + amount - (capacity ?? 0n);
    if (missing > 0n) refusals.push(outOf(resource, amount, used.get(resource) ?? 0n, capacity ?? 0n));
  }
  return refusals;
}

const ALWAYS_KNOWN = ['pods', 'cpu', 'memory', 'ephemeral-storage'];

const inOrder = (amounts: ResourceAmounts): [string, bigint][] => {
  const rank = (name: string) => (ALWAYS_KNOWN.includes(name) ? ALWAYS_KNOWN.indexOf(name) : ALWAYS_KNOWN.length);
  return [...amounts].sort(([a], [b]) => rank(a) - rank(b));
};

const outOf = (resource: string, requested: bigint, used: bigint, capacity: bigint): AdmissionRefusal => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  missing: { resource, amount: requested - (capacity - used) },
});

/** A port of the node that a pod holds. */
interface HeldPort {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
}

function portsOf(pod: Pod): HeldPort[] {
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ protocol = 'TCP', hostIP = '', hostPort = 0 }) => ({
        protocol,
        address: hostIP === '' ? ANY : hostIP,
        port: hostPort,
      })),
  );
}

const ANY = '0.0.0.0';

function conflictsWithPorts(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = portsOf(pod);
  if (wanted.length === 0) return false;
  return others.flatMap(portsOf).some((held) => wanted.some((port) => collide(port, held)));
}

const collide = (a: HeldPort, b: HeldPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.address === b.address || a.address === ANY || b.address === ANY);

/** Returns what pods on a node can have, from its object. */
export const nodeAmounts = (node: Node): Map<string, bigint> => amountsOf(node.status?.allocatable);
