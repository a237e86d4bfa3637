import type { Pod, PodSpec } from '@orch/schema/types/core/v1';
import { type AffinityTerms, affinityTermsOf, type LabelSet, ownLabels } from './affinity-term.js';
import type { RequestAmounts } from './amounts.js';
import { type PodRequests, podRequests } from './pod-requests.js';

/** A port of the node that a pod asks for. */
export interface HostPort {
  /** Address of the node; `0.0.0.0` stands for all. */
  readonly ip: string;
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  /** Number of the port. */
  readonly port: number;
}

/** A pod with what is read from its spec once. */
export interface PodInfo {
  /** The object, in its newest state. */
  pod: Pod;
  /** `namespace/name`. */
  readonly key: string;
  /** Its uid. */
  readonly uid: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** Its labels. */
  readonly labels: LabelSet;
  /** Its priority; 0 where it has none. */
  readonly priority: number;
  /** Whether it is being deleted. */
  readonly isTerminating: boolean;
  /** Requests as they are counted on nodes. */
  readonly requests: RequestAmounts;
  /** Requests as they are scored. */
  readonly scoredRequests: RequestAmounts;
  /** Ports of the node that it asks for. */
  readonly ports: readonly HostPort[];
  /** Its terms of affinity to other pods. */
  readonly affinity: AffinityTerms;
  /** Names of its claims for volumes, without the namespace; generic ephemeral volumes have the claim `pod-volume`. */
  readonly claims: readonly string[];
  /** Why its spec cannot be used; it is not scheduled then. */
  readonly error: Error | undefined;
}

/** Reads a pod. What cannot be parsed is told by {@link PodInfo.error}. */
export function podInfoOf(pod: Pod): PodInfo {
  const { metadata = {}, spec = {} } = pod;
  const { namespace = '', name = '', uid = '' } = metadata;
  const parsed = parse(pod, namespace);
  return {
    ...{ pod, uid, namespace, name, labels: ownLabels(metadata.labels) },
    key: `${namespace}/${name}`,
    priority: spec.priority ?? 0,
    isTerminating: metadata.deletionTimestamp !== undefined,
    requests: parsed.requests.counted,
    scoredRequests: parsed.requests.scored,
    ports: hostPortsOf(pod),
    affinity: parsed.affinity,
    claims: claimsOf(pod),
    error: parsed.error,
  };
}

/** Returns the parts that can be parsed, also where something else cannot: the pod may be on a node already. */
function parse({ spec = {} }: Pod, namespace: string) {
  const errors: Error[] = [];
  const affinity = affinityTermsOf(spec.affinity, namespace, errors);
  const requests = requestsOf(spec, errors);
  return { requests, affinity, error: errors[0] };
}

function requestsOf(spec: PodSpec, errors: Error[]): PodRequests {
  try {
    return podRequests(spec);
  } catch (error) {
    errors.push(error as Error);
    return podRequests({});
  }
}

function hostPortsOf({ spec = {} }: Pod): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const { ports: declared = [] } of spec.containers ?? []) {
    for (const { hostPort = 0, hostIP, protocol } of declared)
      if (hostPort > 0) ports.push({ ip: hostIP || '0.0.0.0', protocol: protocol || 'TCP', port: hostPort });
  }
  return ports;
}

function claimsOf({ metadata = {}, spec = {} }: Pod): readonly string[] {
  const claims: string[] = [];
  for (const { name = '', persistentVolumeClaim, ephemeral } of spec.volumes ?? []) {
    if (persistentVolumeClaim?.claimName) claims.push(persistentVolumeClaim.claimName);
    else if (ephemeral) claims.push(`${metadata.name ?? ''}-${name}`);
  }
  return claims;
}
