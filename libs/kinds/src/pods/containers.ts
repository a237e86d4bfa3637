import type { Container, EphemeralContainer, PodSpec } from '@orch/schema/types/core/v1';

/** A container of whatever sort. */
export type AnyContainer = Container | EphemeralContainer;

/** Lists of containers, in the order in which they come up. */
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

const containersOf = (spec: PodSpec | undefined, list: (typeof LISTS)[number]): readonly AnyContainer[] =>
  spec?.[list] ?? [];

/** Collects the results of a check of every container of a pod spec, of any kind, by its path. */
export const eachContainer = <Found>(
  spec: PodSpec | undefined,
  path: string,
  look: (container: AnyContainer, path: string) => readonly Found[],
): Found[] =>
  LISTS.flatMap((list) =>
    containersOf(spec, list).flatMap((container, index) => look(container, `${path}.${list}[${index}]`)),
  );

/** Every container of a pod spec, of whatever sort. */
export const allContainers = (spec: PodSpec | undefined): AnyContainer[] =>
  LISTS.flatMap((list) => containersOf(spec, list));
