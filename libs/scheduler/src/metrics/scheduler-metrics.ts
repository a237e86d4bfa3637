import type { Metrics } from '@orch/runtime';
import type { SchedulerObserver } from '../cycle/observer.js';
import type { QueueName } from '../queue/scheduling-queue.js';

/** State of the scheduler that metrics read: of the one that runs; undefined while none does. */
interface ObservedScheduler {
  /** Number of pods in each part of the queue. */
  readonly pending: Readonly<Record<QueueName, number>>;
  /** Number of nodes and pods that are known. */
  readonly sizes: { readonly nodes: number; readonly pods: number; readonly assumedPods: number };
  /** Number of pods that are being bound. */
  readonly bindings: number;
  /** Pods that wait for a change, by plugin that has rejected them and by profile. */
  readonly rejected: Iterable<{ readonly plugin: string; readonly profile: string; readonly pods: number }>;
}

/** Upper bounds of durations, seconds: powers of two from a first one. */
const doubled = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => first * 2 ** at);
const ATTEMPT_SECONDS = doubled(0.001, 15);
const POD_SECONDS = doubled(0.01, 20);
/** From 10 µs to 22 ms, each half as much again as the one before. */
const PLUGIN_SECONDS = Array.from({ length: 20 }, (_, at) => 0.000_01 * 1.5 ** at);
/** Attempts from which on they are not told apart. */
const MANY_ATTEMPTS = 15;

/** Declares the metrics of a scheduler, in the names of the reference; once for a process. */
export function schedulerMetrics(metrics: Metrics, current: () => ObservedScheduler | undefined): SchedulerObserver {
  observeState(metrics, current);
  observeSizes(metrics, current);
  return {
    ...attemptMetrics(metrics),
    ...podMetrics(metrics),
    ...preemptionMetrics(metrics),
    ...pluginMetrics(metrics),
    ...evaluationMetrics(metrics),
  };
}

function attemptMetrics(metrics: Metrics): Pick<SchedulerObserver, 'attempted' | 'decided'> {
  const attempts = metrics.counter({
    ...{ name: 'scheduler_schedule_attempts_total', labels: ['result', 'profile'] as const, stability: 'STABLE' },
    help: 'Attempts to schedule pods, by result: scheduled, unschedulable, or error for what is no decision.',
  });
  const attemptSeconds = metrics.histogram({
    ...{ name: 'scheduler_scheduling_attempt_duration_seconds', labels: ['result', 'profile'] as const },
    ...{ buckets: ATTEMPT_SECONDS, stability: 'STABLE' },
    help: 'Seconds of an attempt, from the choice of a node to the end of binding.',
  });
  const decisionSeconds = metrics.histogram({
    ...{ name: 'scheduler_scheduling_algorithm_duration_seconds', labels: [] as const },
    ...{ buckets: ATTEMPT_SECONDS, stability: 'ALPHA' },
    help: 'Seconds of the choice of a node.',
  });
  return {
    attempted(profile, result, seconds) {
      attempts.with(result, profile).inc();
      attemptSeconds.with(result, profile).observe(seconds);
    },
    decided: (seconds) => decisionSeconds.with().observe(seconds),
  };
}

function podMetrics(metrics: Metrics): Pick<SchedulerObserver, 'scheduled' | 'queued'> {
  const podSeconds = metrics.histogram({
    ...{ name: 'scheduler_pod_scheduling_duration_seconds', labels: ['attempts'] as const },
    ...{ buckets: POD_SECONDS, stability: 'STABLE' },
    help: 'Seconds from when a pod was first ready to be scheduled until it was bound.',
  });
  const podAttempts = metrics.histogram({
    ...{ name: 'scheduler_pod_scheduling_attempts', labels: [] as const },
    ...{ buckets: doubled(1, 5), stability: 'STABLE' },
    help: 'Attempts that it took to bind a pod.',
  });
  const incoming = metrics.counter({
    ...{ name: 'scheduler_queue_incoming_pods_total', labels: ['queue', 'event'] as const, stability: 'STABLE' },
    help: 'Pods that entered a part of the queue, by what has caused it.',
  });
  return {
    scheduled(count, seconds) {
      podAttempts.with().observe(count);
      podSeconds.with(count >= MANY_ATTEMPTS ? `${MANY_ATTEMPTS}+` : String(count)).observe(seconds);
    },
    queued: (queue, event) => incoming.with(queue, event).inc(),
  };
}

function pluginMetrics(metrics: Metrics): Pick<SchedulerObserver, 'extensionPointRan' | 'pluginRan'> {
  const points = metrics.histogram({
    name: 'scheduler_framework_extension_point_duration_seconds',
    labels: ['extension_point', 'status', 'profile'] as const,
    ...{ buckets: doubled(0.0001, 12), stability: 'STABLE' },
    help: 'Seconds that all plugins of an extension point took for a pod.',
  });
  const plugins = metrics.histogram({
    name: 'scheduler_plugin_execution_duration_seconds',
    labels: ['plugin', 'extension_point', 'status'] as const,
    ...{ buckets: PLUGIN_SECONDS, stability: 'ALPHA' },
    help: 'Seconds of one run of a plugin, for a tenth of the pods.',
  });
  // A filter runs once for each node: its series are found without joining labels.
  const pluginSeries = keptSeries((...labels) => plugins.with(...labels));
  // There are no plugins that make pods wait for a permit: the metric has no samples.
  metrics.histogram({
    ...{ name: 'scheduler_permit_wait_duration_seconds', labels: ['result'] as const },
    ...{ buckets: ATTEMPT_SECONDS, stability: 'ALPHA' },
    help: 'Seconds that pods waited for a permit to be bound.',
  });
  return {
    extensionPointRan: (point, status, profile, seconds) => points.with(point, status, profile).observe(seconds),
    pluginRan: (plugin, point, status, seconds) => pluginSeries(plugin, point, status).observe(seconds),
  };
}

function evaluationMetrics(metrics: Metrics): Pick<SchedulerObserver, 'pluginEvaluated'> {
  const evaluations = metrics.counter({
    ...{ name: 'scheduler_plugin_evaluation_total', labels: ['plugin', 'extension_point', 'profile'] as const },
    stability: 'ALPHA',
    help: 'Evaluations of plugins: PreFilter once for each pod, Filter for each node that was looked at.',
  });
  const series = keptSeries((...labels) => evaluations.with(...labels));
  return { pluginEvaluated: (plugin, point, profile, times) => series(plugin, point, profile).inc(times) };
}

/** Returns what finds series by three labels, each of which is made once. */
function keptSeries<Series>(
  make: (first: string, second: string, third: string) => Series,
): (first: string, second: string, third: string) => Series {
  const kept = new Map<string, Map<string, Map<string, Series>>>();
  return (first, second, third) => {
    const known = kept.get(first)?.get(second)?.get(third);
    if (known !== undefined) return known;
    const made = make(first, second, third);
    const byFirst = kept.get(first) ?? new Map<string, Map<string, Series>>();
    const bySecond = byFirst.get(second) ?? new Map<string, Series>();
    kept.set(first, byFirst.set(second, bySecond.set(third, made)));
    return made;
  };
}

function preemptionMetrics(metrics: Metrics): Pick<SchedulerObserver, 'preempted' | 'preemptionTried'> {
  const victims = metrics.histogram({
    ...{ name: 'scheduler_preemption_victims', labels: [] as const, buckets: doubled(1, 7), stability: 'STABLE' },
    help: 'Pods that were deleted to make room for another.',
  });
  const tries = metrics.counter({
    ...{ name: 'scheduler_preemption_attempts_total', labels: [] as const, stability: 'STABLE' },
    help: 'Attempts to find pods that could make room for another.',
  });
  return { preempted: (count) => victims.with().observe(count), preemptionTried: () => tries.with().inc() };
}

function observeState(metrics: Metrics, current: () => ObservedScheduler | undefined): void {
  metrics.observedGauge(
    {
      ...{ name: 'scheduler_pending_pods', labels: ['queue'] as const, stability: 'STABLE' },
      help: 'Pods in each part of the queue: ready, waiting after a failed attempt, waiting for a change, or gated.',
    },
    () => Object.entries(current()?.pending ?? {}).map(([queue, count]) => [[queue], count] as const),
  );
  metrics.observedGauge(
    {
      ...{ name: 'scheduler_unschedulable_pods', labels: ['plugin', 'profile'] as const, stability: 'ALPHA' },
      help: 'Pods that wait for a change, by plugin that has rejected them.',
    },
    () => [...(current()?.rejected ?? [])].map(({ plugin, profile, pods }) => [[plugin, profile], pods] as const),
  );
}

/** Sizes of what the scheduler holds and does. */
function observeSizes(metrics: Metrics, current: () => ObservedScheduler | undefined): void {
  metrics.observedGauge(
    {
      ...{ name: 'scheduler_scheduler_cache_size', labels: ['type'] as const, stability: 'ALPHA' },
      help: 'Nodes and pods that the scheduler knows, and pods among them that are assumed to be on a node.',
    },
    () => {
      const sizes = current()?.sizes;
      if (!sizes) return [];
      return [
        [['nodes'], sizes.nodes] as const,
        [['pods'], sizes.pods] as const,
        [['assumed_pods'], sizes.assumedPods] as const,
      ];
    },
  );
  observeWork(metrics, current);
}

function observeWork(metrics: Metrics, current: () => ObservedScheduler | undefined): void {
  metrics.observedGauge(
    {
      ...{ name: 'scheduler_goroutines', labels: ['operation'] as const, stability: 'ALPHA' },
      help: 'Tasks that run, by what they do: pods that are being bound.',
    },
    () => {
      const bindings = current()?.bindings;
      return bindings === undefined ? [] : [[['binding'], bindings] as const];
    },
  );
}
