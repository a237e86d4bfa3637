import type { Metrics } from '@orch/runtime';
import { isAvailable, type Registration } from './registration.js';

/**
 * Reports which registered group-versions are unavailable, as this process knows it.
 * @param registrations returns all registrations at the time of the call
 * @returns a counter to be called for each that becomes unavailable, by the process that decides so
 */
export function observeRegistrations(
  metrics: Metrics,
  registrations: () => Iterable<Registration>,
): (registration: Registration, reason: string) => void {
  metrics.observedGauge(
    {
      name: 'aggregator_unavailable_apiservice',
      help: 'Whether the group-version of an APIService is not available (1) or is (0).',
      labels: ['name'] as const,
    },
    () => [...registrations()].map((each) => [[each.name], isAvailable(each) ? 0 : 1] as const),
  );
  const counter = metrics.counter({
    name: 'aggregator_unavailable_apiservice_total',
    help: 'How often the group-version of an APIService was available and then was not, as the process tells that decides so.',
    labels: ['name', 'reason'] as const,
  });
  return ({ name }, reason) => counter.with(name, reason).inc();
}
