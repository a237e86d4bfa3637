import type { Names } from '@orch/machinery';
import type { Container, EphemeralContainer, Pod } from '@orch/schema/types/core/v1';

/** Source that a pod comes from: the API, a file of static pods, or a URL of such. */
export type PodSource = 'api' | 'file' | 'http';

/** Annotations by which pods of all sources are recognized. */
export interface PodAnnotations {
  /** Hash of a static pod's manifest: its uid. */
  readonly hash: string;
  /** Time at which the agent first saw the pod, RFC 3339. */
  readonly seen: string;
  /** Source of the pod. */
  readonly source: string;
  /** Hash of the static pod that a pod of the API mirrors. */
  readonly mirror: string;
}

/** Returns the annotations of a naming profile. */
export function podAnnotations(names: Names): PodAnnotations {
  const key = (name: string) => names.key(`orch.io/config.${name}`);
  return { hash: key('hash'), seen: key('seen'), source: key('source'), mirror: key('mirror') };
}

/** Returns the uid of a pod, which every pod of a source has. */
export const uidOf = (pod: Pod): string => pod.metadata?.uid ?? '';

/** Returns `name_namespace`, which is unique among the pods that run at a time. */
export const fullNameOf = (pod: Pod): string => `${pod.metadata?.name ?? ''}_${pod.metadata?.namespace ?? ''}`;

/** Returns `namespace/name`, for logs. */
export const podKeyOf = (pod: Pod): string => `${pod.metadata?.namespace ?? ''}/${pod.metadata?.name ?? ''}`;

/** Returns an annotation of a pod; undefined if it has none of that name. */
export function annotationOf(pod: Pod, name: string): string | undefined {
  const annotations = pod.metadata?.annotations ?? {};
  return Object.hasOwn(annotations, name) ? annotations[name] : undefined;
}

/** Whether a pod comes from a file or URL. */
export function isStaticPod(pod: Pod, annotations: PodAnnotations): boolean {
  const source = annotationOf(pod, annotations.source);
  return source === 'file' || source === 'http';
}

/** Whether a pod of the API mirrors a static pod. */
export const isMirrorPod = (pod: Pod, annotations: PodAnnotations): boolean =>
  annotationOf(pod, annotations.mirror) !== undefined;

/** A container of a pod's spec, whichever of the three lists it is in. */
export type PodContainer = Container | EphemeralContainer;

/** List of the spec in which a container is declared. */
export type ContainerKind = 'init' | 'regular' | 'ephemeral';

/** Returns all containers of a pod: init containers, containers, ephemeral containers. */
export function* containersOf(pod: Pod): Generator<readonly [ContainerKind, PodContainer]> {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  for (const container of initContainers) yield ['init', container];
  for (const container of containers) yield ['regular', container];
  for (const container of ephemeralContainers) yield ['ephemeral', container];
}
