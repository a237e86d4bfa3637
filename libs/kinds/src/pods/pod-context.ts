import type { Names } from '@orch/machinery';
import type { KindSettings } from '../rules/settings.js';

/** Properties of a stored pod that later rules refuse: it may keep them. */
export interface ToleratedValues {
  /** Values of labels in the selectors of its affinity. */
  readonly affinityValues: boolean;
  /** Selectors of its spread. */
  readonly spreadSelectors: boolean;
  /** Amounts of huge pages that are no whole number of pages. */
  readonly hugePages: boolean;
  /** The cost of its deletion that is no number. */
  readonly deletionCost: boolean;
  /** Domains that names are looked for in, however many. */
  readonly searches: readonly string[];
}

/** The context of the rules of a pod or a template. */
export interface PodContext {
  /** Names of the installation. */
  readonly names: Names;
  /** Settings of the installation for its kinds. */
  readonly settings: KindSettings;
  /** Properties that the stored pod may keep. */
  readonly kept: ToleratedValues;
  /** The name of a pod; templates have none. */
  readonly podName?: string;
}

/** The context of new pods, which keep nothing. */
export const NOTHING_KEPT: ToleratedValues = {
  affinityValues: false,
  spreadSelectors: false,
  hugePages: false,
  deletionCost: false,
  searches: [],
};
