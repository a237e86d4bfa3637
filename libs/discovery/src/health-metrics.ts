import { type HealthEndpoint, type HealthRegistry, Metrics } from '@orch/runtime';

const ENDPOINTS: readonly HealthEndpoint[] = ['livez', 'readyz', 'healthz'];

/** Series of the results of health checks, by name and endpoint. */
export function healthSeries(metrics: Metrics) {
  const state = metrics.gauge({
    name: 'kubernetes_healthcheck',
    help: '1 if a health check passed, 0 if it failed.',
    labels: ['name', 'type'] as const,
    stability: 'STABLE',
  });
  const counts = metrics.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Number of health checks, by result.',
    labels: ['name', 'type', 'status'] as const,
    stability: 'STABLE',
  });
  return { state, counts };
}

/** Returns the handler of `GET /metrics/slis`, which runs every health check. */
export function healthMetrics(health: HealthRegistry): () => Promise<{ contentType: string; body: string }> {
  const metrics = new Metrics();
  const { state, counts } = healthSeries(metrics);
  return async () => {
    const made = await Promise.all(ENDPOINTS.map(async (type) => [type, await health.run(type)] as const));
    for (const [type, results] of made) {
      for (const [name, passed] of results) {
        state.with(name, type).set(passed ? 1 : 0);
        counts.with(name, type, passed ? 'success' : 'error').inc();
      }
    }
    return metrics.text();
  };
}
