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
      help: '1 if the group-version of an APIService is unavailable, 0 if it is available.',
      labels: ['name'] as const,
    },
    () => [...registrations()].map((each) => [[each.name], isAvailable(each) ? 0 : 1] as const),
  );
  const counter = metrics.counter({
    name: 'aggregator_unavailable_apiservice_total',
    help: 'Number of times that the group-version of an APIService became unavailable, counted by the process that checks availability.',
    labels: ['name', 'reason'] as const,
  });
  return ({ name }, reason) => counter.with(name, reason).inc();
}
