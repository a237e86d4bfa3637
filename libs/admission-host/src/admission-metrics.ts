import type { AdmissionStep, AdmittedOperation, StepObserver } from '@orch/admission';
import type { Metrics } from '@orch/runtime';

/** Receives the durations of admission, milliseconds. */
export interface AdmissionObserver {
  /** Receives the duration of all plugins of a step together. */
  readonly step: StepObserver;
  /** Returns a function that receives the durations of one plugin in one step. */
  controller(
    name: string,
    step: AdmissionStep,
  ): (operation: AdmittedOperation, milliseconds: number, rejected: boolean) => void;
}

/** Bounds of the histograms in seconds, as in the reference. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Returns an observer whose metrics have the names of the reference. */
export function admissionMetrics(metrics: Metrics): AdmissionObserver {
  const step = metrics.histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Time that all admission plugins together took to mutate (admit) or validate an object.',
    labels: ['type', 'operation', 'rejected'] as const,
    buckets: BUCKETS,
    stability: 'STABLE',
  });
  const controller = metrics.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Time that an admission plugin took to mutate (admit) or validate an object.',
    labels: ['name', 'type', 'operation', 'rejected'] as const,
    buckets: BUCKETS,
    stability: 'STABLE',
  });
  return {
    step: (type, operation, ms, rejected) => step.with(type, operation, String(rejected)).observe(ms / 1000),
    controller: (name, type) => {
      const passed = kept((operation) => controller.with(name, type, operation, 'false'));
      const refused = kept((operation) => controller.with(name, type, operation, 'true'));
      return (operation, ms, rejected) => (rejected ? refused : passed)(operation).observe(ms / 1000);
    },
  };
}

/** Caches the series of each operation: each write adds to as many as there are plugins. */
function kept<T>(find: (operation: AdmittedOperation) => T): (operation: AdmittedOperation) => T {
  const found = new Map<AdmittedOperation, T>();
  return (operation) => {
    const series = found.get(operation) ?? find(operation);
    found.set(operation, series);
    return series;
  };
}
