import type { PluginContext } from '@orch/admission';
import { readKubeconfig } from '@orch/client';
import type { Metrics } from '@orch/runtime';
import { ReviewWebhook, type SharedRates } from '@orch/webhooks';
import type { ApiDeps } from '../deps.js';
import { serverForUsers } from '../writing/caller.js';
import { ensureOwn } from '../writing/own-creation.js';

/** What plugins need of the process beside what they look up. */
export type Surroundings = Pick<
  PluginContext,
  'metrics' | 'servedAs' | 'makeNamespace' | 'openReviews' | 'sharedRates'
>;

export interface SurroundingsSettings {
  readonly metrics: Metrics;
  readonly sharedRates: SharedRates | undefined;
  /** The API, once it is there: no write is before it is. */
  readonly deps: () => Pick<ApiDeps, 'served' | 'reader' | 'pipeline'>;
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
    makeNamespace: async (name) => {
      const endpoint = deps().served.current.ofResource('', 'namespaces');
      if (endpoint) await ensureOwn(deps(), endpoint, { metadata: { name } }, serverForUsers());
    },
    openReviews: async (file, settings) => new ReviewWebhook({ connection: await readKubeconfig(file), ...settings }),
  };
}
