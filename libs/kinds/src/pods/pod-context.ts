import type { Names } from '@orch/machinery';
import type { KindSettings } from '../rules/settings.js';

/** What a pod has as it is stored although rules that came later refuse it: it may keep that. */
export interface Kept {
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

/** What the rules of a pod or a template depend on beside what they look at. */
export interface PodContext {
  readonly names: Names;
  readonly settings: KindSettings;
  readonly kept: Kept;
  /** Of a pod itself; templates have none. */
  readonly podName?: string;
}

/** Of what is new. */
export const NOTHING_KEPT: Kept = {
  affinityValues: false,
  spreadSelectors: false,
  hugePages: false,
  deletionCost: false,
  searches: [],
};
