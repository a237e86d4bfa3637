import type { Operation, Step, StepObserver } from '@orch/admission';
import type { Metrics } from '@orch/runtime';

/** Hears of admission. Times are milliseconds. */
export interface AdmissionObserver {
  /** All plugins of a step together. */
  readonly step: StepObserver;
  /** One plugin. */
  controller(name: string, step: Step, operation: Operation, milliseconds: number, rejected: boolean): void;
}

/** As the reference counts them. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Times admission under the names of the reference. */
export function admissionMetrics(metrics: Metrics): AdmissionObserver {
  const step = metrics.histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Time that all admission plugins took together to change an object (admit) or to judge it (validate).',
    labels: ['type', 'operation', 'rejected'] as const,
    buckets: BUCKETS,
    stability: 'STABLE',
  });
  const controller = metrics.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Time that an admission plugin took to change an object (admit) or to judge it (validate).',
    labels: ['name', 'type', 'operation', 'rejected'] as const,
    buckets: BUCKETS,
    stability: 'STABLE',
  });
  return {
    step: (type, operation, ms, rejected) => step.with(type, operation, String(rejected)).observe(ms / 1000),
    controller: (name, type, operation, ms, rejected) =>
      controller.with(name, type, operation, String(rejected)).observe(ms / 1000),
  };
}
