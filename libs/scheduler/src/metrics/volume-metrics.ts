import type { Metrics } from '@orch/runtime';
import type { VolumeStage } from '@orch/scheduler-plugins';

/** Declares the metric of volumes that could not be bound; once for a process. Returns what counts a failure. */
export function volumeMetrics(metrics: Metrics): (stage: VolumeStage) => void {
  const errors = metrics.counter({
    name: 'scheduler_volume_scheduling_stage_error_total',
    labels: ['operation'] as const,
    stability: 'ALPHA',
    help: 'Failures to find volumes for a pod (predicate), to reserve them (assume) and to bind them (bind).',
  });
  return (stage) => errors.with(stage).inc();
}
