import type { Names, ObjectMeta } from '@orch/machinery';
import type { Container, PodSpec } from '@orch/schema/types/core/v1';

/** A pod, or what pods are made from, as checks see it. */
export interface PodView {
  readonly names: Names;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** Of all sorts, those first that run first. */
  readonly containers: readonly Container[];
  /** Whether it says that it is for Windows. */
  readonly isWindows: boolean;
}

/** Why a pod may not be. */
export interface Finding {
  /** In a few words, the same for all pods. */
  readonly reason: string;
  /** What of this pod. */
  readonly detail: string;
}

/** @returns undefined where there is nothing to say against a pod */
export type PodCheck = (pod: PodView) => Finding | undefined;

/** A rule of a level. */
export interface Check {
  /** Findings are in the order of these. */
  readonly id: string;
  /** Those of `baseline` hold for `restricted` too. */
  readonly level: 'baseline' | 'restricted';
  /** As it was from a minor release on, the oldest first. */
  readonly versions: readonly { readonly since: number; readonly check: PodCheck }[];
  /** The check of `baseline` that it takes the place of, from its first version on. */
  readonly overrides?: string;
}

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
