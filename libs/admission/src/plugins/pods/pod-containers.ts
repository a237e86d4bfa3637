import type { Container, EphemeralContainer, Pod, PodSpec } from '@orch/schema/types/core/v1';
import type { Attributes } from '../../attributes.js';

/** A container of a pod and the path of its place. */
interface PlacedContainer {
  readonly container: Container | EphemeralContainer;
  /** `spec.initContainers[0]`. */
  readonly path: string;
}

/** What a write makes of a pod. */
export const podOf = ({ object }: Pick<Attributes, 'object'>): Pod => (object ?? {}) as Pod;

/** The pod that is there before a write. */
export const oldPodOf = ({ oldObject }: Pick<Attributes, 'oldObject'>): Pod => (oldObject ?? {}) as Pod;

/** Containers of all sorts, those first that run first. */
export function placedContainers(spec: PodSpec = {}): readonly PlacedContainer[] {
  const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, at) => ({ container, path: `spec.${list}[${at}]` })),
  );
}
