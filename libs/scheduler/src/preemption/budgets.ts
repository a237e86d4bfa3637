import { LabelSelector, labelSelectorOf } from '@orch/machinery';
import type { PodInfo } from '@orch/scheduler-plugins';
import type { PodDisruptionBudget } from '@orch/schema/types/policy/v1';

/** Pods by whether their deletion would violate a budget. */
interface ByBudgets {
  readonly violating: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** Divides pods, in their order, by whether budgets allow the deletion of each beside those before it. */
export function byBudgets(
  pods: readonly PodInfo[],
  budgetsOf: (namespace: string) => Iterable<PodDisruptionBudget>,
): ByBudgets {
  const allowed = new Map<PodDisruptionBudget, number>();
  const [violating, others]: [PodInfo[], PodInfo[]] = [[], []];
  for (const pod of pods) {
    let isViolated = false;
    for (const budget of budgetsOf(pod.namespace)) {
      if (!means(budget, pod)) continue;
      const left = (allowed.get(budget) ?? budget.status?.disruptionsAllowed ?? 0) - 1;
      allowed.set(budget, left);
      isViolated ||= left < 0;
    }
    (isViolated ? violating : others).push(pod);
  }
  return { violating, others };
}

const selectors = new WeakMap<PodDisruptionBudget, LabelSelector>();

/** Whether a budget means a pod; one that is on its way out by the API counts as disrupted already. */
function means(budget: PodDisruptionBudget, { name, labels }: PodInfo): boolean {
  if (Object.keys(labels).length === 0 || Object.hasOwn(budget.status?.disruptedPods ?? {}, name)) return false;
  const selector = selectors.get(budget) ?? parse(budget);
  selectors.set(budget, selector);
  return !selector.matchesEverything && selector.matches(labels);
}

/** An invalid selector means nothing. */
function parse({ spec }: PodDisruptionBudget): LabelSelector {
  try {
    return labelSelectorOf(spec?.selector);
  } catch {
    return LabelSelector.nothing;
  }
}
