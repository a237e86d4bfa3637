import type { Names, ObjectMeta } from '@orch/machinery';
import type { Container, PodSpec } from '@orch/schema/types/core/v1';

/** A pod or a pod template, as checks see it. */
export interface PodView {
  /** Names of the installation. */
  readonly names: Names;
  /** Annotations of the pod. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Spec of the pod. */
  readonly spec: PodSpec;
  /** Containers of all kinds, in the order in which they start. */
  readonly containers: readonly Container[];
  /** Whether its OS is declared as Windows. */
  readonly isWindows: boolean;
}

/** A violation of a check by a pod. */
export interface Violation {
  /** Short reason, the same for all pods. */
  readonly reason: string;
  /** The offending part of this pod. */
  readonly detail: string;
}

/** Checks a pod. @returns undefined if the pod passes */
export type PodCheck = (pod: PodView) => Violation | undefined;

/** A rule of a level. */
export interface Check {
  /** Identifier, by which findings are ordered. */
  readonly id: string;
  /** Level of the check; checks of `baseline` apply to `restricted` too. */
  readonly level: 'baseline' | 'restricted';
  /** Versions of the check with the minor release that each applies from, the oldest first. */
  readonly versions: readonly { readonly since: number; readonly check: PodCheck }[];
  /** Identifier of the `baseline` check that it replaces, from its first version on. */
  readonly overrides?: string;
}

/** Returns a pod or a pod template as checks see it. */
export function podView(names: Names, metadata: ObjectMeta | undefined, spec: PodSpec): PodView {
  const { initContainers = [], containers = [], ephemeralContainers = [], os } = spec;
  return {
    names,
    annotations: metadata?.annotations ?? {},
    spec,
    containers: [...initContainers, ...containers, ...ephemeralContainers],
    isWindows: os?.name === 'windows',
  };
}
