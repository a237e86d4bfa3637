import type { HealthRegistry, Metrics } from '@orch/runtime';
import type { ComponentPage } from './served-pages.js';

/** Pages that every component has: health, metrics, and its configuration. @param configuration as `/configz` tells it */
export function componentPages(
  health: HealthRegistry,
  metrics: Metrics,
  configuration: () => unknown,
): Readonly<Record<string, ComponentPage>> {
  const healthPage: ComponentPage = (path, query) => health.handle(path, query);
  return {
    '/healthz': healthPage,
    '/livez': healthPage,
    '/readyz': healthPage,
    '/metrics': async () => metrics.text(),
    '/configz': async () => ({
      contentType: 'application/json',
      body: `${JSON.stringify(configuration())}\n`,
    }),
  };
}
