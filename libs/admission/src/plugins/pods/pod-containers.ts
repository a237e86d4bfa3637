import type { Container, EphemeralContainer, Pod, PodSpec } from '@orch/schema/types/core/v1';
import type { Attributes } from '../../attributes.js';

/** A container of a pod and its path. */
interface PlacedContainer {
  readonly container: Container | EphemeralContainer;
  /** Path in the pod, such as `spec.initContainers[0]`. */
  readonly path: string;
}

/** Returns the pod as it will be written. */
export const podOf = ({ object }: Pick<Attributes, 'object'>): Pod => (object ?? {}) as Pod;

/** Returns the pod before the write. */
export const oldPodOf = ({ oldObject }: Pick<Attributes, 'oldObject'>): Pod => (oldObject ?? {}) as Pod;

/** Returns the containers of all kinds, in the order in which they start. */
export function placedContainers(spec: PodSpec = {}): readonly PlacedContainer[] {
  const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, at) => ({ container, path: `spec.${list}[${at}]` })),
  );
}
