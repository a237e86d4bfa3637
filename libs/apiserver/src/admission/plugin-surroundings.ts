import type { PluginContext } from '@orch/admission';
import { readKubeconfig } from '@orch/client';
import type { Metrics } from '@orch/runtime';
import { ReviewWebhook, type SharedRates } from '@orch/webhooks';
import type { ApiDeps } from '../deps.js';

/** What plugins need of the process beside what they look up. */
export type Surroundings = Pick<
  PluginContext,
  'metrics' | 'servedAs' | 'openReviews' | 'sharedRates'
>;

export interface SurroundingsSettings {
  readonly metrics: Metrics;
  readonly sharedRates: SharedRates | undefined;
  /** The API, once it is there: no write is before it is. */
  readonly deps: () => Pick<ApiDeps, 'served'>;
}

export function pluginSurroundings({ metrics, sharedRates, deps }: SurroundingsSettings): Surroundings {
  return {
    metrics,
    sharedRates,
    servedAs: (group, version, kind) => {
      const isMeant = (one: { group: string; version: string; kind: string }) =>
        one.kind === kind && one.version === version && one.group === group;
      return deps()
        .served.current.endpoints.map(({ definition }) => definition)
        .filter(isMeant)
        .map(({ resource, namespaced }) => ({ group, version, resource, namespaced }));
    },
    openReviews: async (file, settings) => {
      const connection = await readKubeconfig(file);
      if (!connection.server.startsWith('https://')) throw new Error(`${file}: the server must be https://`);
      return new ReviewWebhook({ connection, ...settings });
    },
  };
}
