import type { Metrics } from '@orch/runtime';
import type { Rewriting } from '@orch/writing';
import type { Definition } from './definition.js';

/** Counts objects that were rewritten in the storage version, and those that could not be. */
export function migrationCounter(metrics: Metrics): (definition: Definition, rewriting: Rewriting) => void {
  const counter = metrics.counter({
    name: 'orch_storage_migration_objects_total',
    help: 'Number of custom resources that had to be rewritten in the storage version, by result.',
    labels: ['group', 'resource', 'result'] as const,
  });
  return ({ group, names }, { error }) => counter.with(group, names.plural, error ? 'failed' : 'written').inc();
}
