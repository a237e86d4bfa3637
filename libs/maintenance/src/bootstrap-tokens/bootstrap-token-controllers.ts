import { BOOTSTRAP_SECRETS, bootstrapTypeOf } from '@orch/authentication';
import type { ControllerGroup } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type InformerStore, StoreInformer } from '@orch/informers';
import { fromStored, storedEndpoint } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { ConfigMap, Secret } from '@orch/schema/types/core/v1';
import type { ControllerClient } from '@orch/writing';
import { bootstrapSigner } from './bootstrap-signer.js';
import { type BootstrapToken, bootstrapTokenOf } from './bootstrap-token.js';
import { tokenCleaner } from './token-cleaner.js';

type Work = 'bootstrapsigner' | 'tokencleaner';

/** Dependencies of the controllers of bootstrap tokens. */
interface BootstrapTokenControllersSettings {
  readonly deps: ApiDeps;
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Returns whether a controller runs in this process. */
  readonly runs: (name: Work) => boolean;
  /** Returns a client with the identity of a controller's service account. */
  readonly clientOf: (account: string) => ControllerClient;
  readonly logger: Logger;
}

/** Returns the controllers of bootstrap tokens: one signs `cluster-info` with them, the other deletes expired ones. */
export function bootstrapTokenControllers(settings: BootstrapTokenControllersSettings): ControllerGroup | undefined {
  const { deps, runs, clientOf } = settings;
  if (!runs('bootstrapsigner') && !runs('tokencleaner')) return undefined;
  const { now } = deps;
  const [secrets, configMaps] = [tokenInformer(settings), clusterInfoInformer(settings)];
  const signer = bootstrapSigner({
    ...{ configMaps, tokens: secrets, now, client: clientOf('bootstrap-signer') },
    endpoint: storedEndpoint(deps, '', 'configmaps'),
    isComplete: () => ![...secrets.unreadable.keys()].some(isOfToken),
  });
  const cleaner = tokenCleaner({
    ...{ tokens: secrets, now, client: clientOf('token-cleaner'), namespace: BOOTSTRAP_SECRETS.namespace },
    endpoint: storedEndpoint(deps, '', 'secrets'),
  });
  return {
    controllers: [...(runs('bootstrapsigner') ? [signer] : []), ...(runs('tokencleaner') ? [cleaner] : [])],
    // Tokens are processed in the background.
    start() {
      void secrets.start();
      void configMaps.start();
    },
    async stop() {
      await Promise.all([secrets.stop(), configMaps.stop()]);
    },
  };
}

const isOfToken = (key: string): boolean =>
  key.startsWith(`${BOOTSTRAP_SECRETS.namespace}/${BOOTSTRAP_SECRETS.prefix}`);

/** Informer of the Secrets of `kube-system`; of those that hold no bootstrap token it keeps only the name. */
function tokenInformer({ deps, store, feed, logger }: BootstrapTokenControllersSettings) {
  const endpoint = storedEndpoint(deps, '', 'secrets');
  const type = bootstrapTypeOf(deps.names);
  return new StoreInformer<BootstrapToken | undefined>({
    ...{ source: store, feed, type: endpoint.type, namespace: BOOTSTRAP_SECRETS.namespace },
    read(row) {
      const secret = fromStored(row, endpoint) as Secret;
      return secret.type === type ? bootstrapTokenOf(secret, row.uid) : undefined;
    },
    onError: (error) => logger.error('the Secrets of bootstrap tokens could not be followed', error),
  });
}

function clusterInfoInformer({ deps, store, feed, logger }: BootstrapTokenControllersSettings) {
  const endpoint = storedEndpoint(deps, '', 'configmaps');
  return new StoreInformer<ConfigMap>({
    ...{ source: store, feed, type: endpoint.type, namespace: 'kube-public' },
    read: (row) => fromStored(row, endpoint) as ConfigMap,
    onError: (error) => logger.error('the ConfigMap cluster-info could not be followed', error),
  });
}
