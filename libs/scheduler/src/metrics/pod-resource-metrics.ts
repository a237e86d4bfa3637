import type { Metrics } from '@orch/runtime';
import { ResourceAmounts } from '@orch/scheduler-plugins';
import type { Container, Pod } from '@orch/schema/types/core/v1';

const LABELS = ['namespace', 'pod', 'node', 'scheduler', 'priority', 'resource', 'unit'] as const;
type Series = readonly [readonly [string, string, string, string, string, string, string], number];

/**
 * Declares the metrics of `/metrics/resources`: the requests and limits of each pod that has not ended. They are as many
 * as pods, so that they are not served among the others.
 * @param metrics those of this path alone
 * @param pods all pods
 */
export function podResourceMetrics(metrics: Metrics, pods: () => Iterable<Pod>): void {
  const declare = (name: string, help: string, amountsOf: (pod: Pod) => ResourceAmounts) =>
    metrics.observedGauge({ name, help, labels: LABELS, stability: 'STABLE' }, () => seriesOf(pods(), amountsOf));
  declare('kube_pod_resource_request', 'Resources that a pod asks for, which its node has to have.', requestsOf);
  declare('kube_pod_resource_limit', 'Most that a pod may use of a resource.', limitsOf);
}

function* seriesOf(pods: Iterable<Pod>, amountsOf: (pod: Pod) => ResourceAmounts): Generator<Series> {
  for (const pod of pods) {
    if (hasEnded(pod)) continue;
    try {
      yield* podSeries(pod, amountsOf(pod));
    } catch {
      // A quantity that cannot be parsed: the pod is not scheduled either.
    }
  }
}

const hasEnded = ({ spec, status }: Pod): boolean =>
  !!spec?.nodeName && (status?.phase === 'Succeeded' || status?.phase === 'Failed');

function* podSeries({ metadata, spec }: Pod, amounts: ResourceAmounts): Generator<Series> {
  const { namespace = '', name = '' } = metadata ?? {};
  const { nodeName = '', schedulerName = '', priority } = spec ?? {};
  const labels = [namespace, name, nodeName, schedulerName, priority === undefined ? '' : String(priority)] as const;
  const { cpu, memory, ephemeralStorage, others } = amounts;
  const named: [string, number][] = [
    ['cpu', cpu / 1_000],
    ['memory', memory],
    ['ephemeral-storage', ephemeralStorage],
    ...others,
  ];
  for (const [resource, amount] of named) if (amount !== 0) yield [[...labels, resource, unitOf(resource)], amount];
}

const BYTES: ReadonlySet<string> = new Set(['memory', 'storage', 'ephemeral-storage']);

function unitOf(resource: string): string {
  if (resource === 'cpu') return 'cores';
  if (BYTES.has(resource) || resource.startsWith('hugepages-')) return 'bytes';
  return resource.startsWith('attachable-volumes-') ? 'integer' : '';
}

/** Sum over the containers, at least what each init container asks for, and the overhead. */
function requestsOf({ spec }: Pod): ResourceAmounts {
  const amounts = containerAmounts(spec, ({ resources }) => ResourceAmounts.of(resources?.requests));
  if (spec?.overhead) amounts.add(ResourceAmounts.of(spec.overhead));
  return amounts;
}

/** Returns limits in the way of requests; the overhead is added to what is limited. */
function limitsOf({ spec }: Pod): ResourceAmounts {
  const amounts = containerAmounts(spec, ({ resources }) => ResourceAmounts.of(resources?.limits));
  const overhead = ResourceAmounts.of(spec?.overhead);
  for (const name of Object.keys(spec?.overhead ?? {}))
    if (amounts.get(name) !== 0) amounts.set(name, amounts.get(name) + overhead.get(name));
  return amounts;
}

function containerAmounts(spec: Pod['spec'], amountsOf: (container: Container) => ResourceAmounts): ResourceAmounts {
  const sum = new ResourceAmounts();
  for (const container of spec?.containers ?? []) sum.add(amountsOf(container));
  for (const container of spec?.initContainers ?? []) sum.raiseTo(amountsOf(container));
  return sum;
}
