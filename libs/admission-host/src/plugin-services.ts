import type { PluginContext } from '@orch/admission';
import { readKubeconfig } from '@orch/client';
import type { RemoteDocuments } from '@orch/discovery';
import type { ApiDeps } from '@orch/handlers';
import type { Metrics } from '@orch/runtime';
import { ReviewWebhook, type SharedRates } from '@orch/webhooks';

/** Services of the process that plugins use besides the objects that they look up. */
export type PluginServices = Pick<PluginContext, 'metrics' | 'servedAs' | 'openReviews' | 'sharedRates'>;

interface PluginServicesSettings {
  readonly metrics: Metrics;
  readonly sharedRates: SharedRates | undefined;
  /** Called after each review of images by a webhook. Default: nothing is counted. */
  readonly onAsked?: (failed: boolean) => void;
  /** Returns the API; called for writes, which begin once it has been assembled. */
  readonly deps: () => Pick<ApiDeps, 'served'>;
  /** Returns the discovery documents of aggregated API servers. */
  readonly remote: () => RemoteDocuments;
}

/**
 * Connects plugins to the process: its metrics and rate limits, the resources that are served, and image review
 * webhooks.
 */
export function pluginServices({
  metrics,
  sharedRates,
  onAsked,
  deps,
  remote,
}: PluginServicesSettings): PluginServices {
  return {
    metrics,
    sharedRates,
    servedAs: (group, version, kind) => {
      const isMeant = (one: { group: string; version: string; kind: string }) =>
        one.kind === kind && one.version === version && one.group === group;
      const own = deps()
        .served.current.endpoints.map(({ definition }) => definition)
        .filter(isMeant);
      const others = remote()
        .versions.filter((told) => told.group === group && told.version === version)
        .flatMap(({ resources }) => resources.filter(({ responseKind }) => responseKind?.kind === kind))
        .map(({ resource = '', scope }) => ({ resource, namespaced: scope === 'Namespaced' }));
      return [...own, ...others].map(({ resource, namespaced }) => ({ group, version, resource, namespaced }));
    },
    openReviews: async (file, settings) => {
      const connection = await readKubeconfig(file);
      if (!connection.server.startsWith('https://')) throw new Error(`${file}: the server must be https://`);
      return new ReviewWebhook({ connection, ...settings, ...(onAsked && { onAsked }) });
    },
  };
}
