import type { ApiObject } from '@orch/machinery';
import { amountsOf } from './amounts.js';

/** Condition that an object must meet to be counted. */
export interface ScopeSelector {
  /** `Terminating`, `BestEffort`, `PriorityClass`, … */
  readonly scopeName: string;
  /** `Exists`, `DoesNotExist`, `In` or `NotIn`. */
  readonly operator: string;
  /** Values for `In` and `NotIn`. */
  readonly values?: readonly string[];
}

interface Container {
  readonly resources?: { readonly requests?: object; readonly limits?: object };
}
interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: unknown;
}
interface Affinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm?: AffinityTerm }[];
}
interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly activeDeadlineSeconds?: number | string;
  readonly priorityClassName?: string;
  readonly affinity?: { readonly podAffinity?: Affinity; readonly podAntiAffinity?: Affinity };
}

/** Whether a pod is in a scope; no pod is in an unknown one. */
export function podInScope(selector: ScopeSelector, pod: ApiObject): boolean {
  const spec = (pod.spec ?? {}) as PodSpec;
  switch (selector.scopeName) {
    case 'Terminating':
      return isTerminating(spec);
    case 'NotTerminating':
      return !isTerminating(spec);
    case 'BestEffort':
      return isBestEffort(spec);
    case 'NotBestEffort':
      return !isBestEffort(spec);
    case 'PriorityClass':
      return hasClass(selector, spec.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some(crossesNamespaces);
    default:
      return false;
  }
}

const isTerminating = ({ activeDeadlineSeconds }: PodSpec): boolean =>
  activeDeadlineSeconds !== undefined && activeDeadlineSeconds !== null && Number(activeDeadlineSeconds) >= 0;

const COMPUTE = ['cpu', 'memory'];
/** Whether no container has requests or limits of CPU or memory. */
function isBestEffort({ containers = [], initContainers = [] }: PodSpec): boolean {
  const asks = (list: object | undefined) => {
    const amounts = amountsOf(list);
    return COMPUTE.some((name) => (amounts.get(name) ?? 0n) > 0n);
  };
  return ![...containers, ...initContainers].some(
    ({ resources }) => asks(resources?.requests) || asks(resources?.limits),
  );
}

/** Whether a priority class matches, as a label of that name would. */
function hasClass({ operator, values = [] }: ScopeSelector, name: string): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    default:
      return false;
  }
}

function crossesNamespaces(affinity: Affinity | undefined): boolean {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)].some(
    (term) => (term?.namespaces?.length ?? 0) > 0 || (term?.namespaceSelector ?? undefined) !== undefined,
  );
}
