import { DEFAULT_FEATURES, type Features } from '@orch/schema';

/** Settings of an installation about its kinds; fixed at start-up. */
export interface KindSettings {
  /** Features, which determine the available fields and values. */
  readonly features: Features;
  /** Containers of pods may be privileged. */
  readonly allowPrivileged: boolean;
  /** Kinds are served of definitions, which wait for the objects of theirs when they are deleted. Default false. */
  readonly customKinds?: boolean;
}

/** Settings where there is no installation: the features of the release, and containers may be privileged. */
export const STANDARD_SETTINGS: KindSettings = { features: DEFAULT_FEATURES, allowPrivileged: true };
