import { type ControllerGroup, ObservedLease, type Yielding } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type InformerStore, StoreInformer } from '@orch/informers';
import { fromStored, storedEndpoint } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { Lease, LeaseSpec } from '@orch/schema/types/coordination/v1';
import { yieldsController } from './controller-options.js';

/** Dependencies of {@link yieldToManager}. */
interface YieldSettings {
  readonly deps: ApiDeps;
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly logger: Logger;
  /** Options of the process. */
  readonly options: {
    /** `--yielding-controllers`. */
    readonly yieldingControllers: readonly string[];
    /** `--controller-manager-lease`. */
    readonly controllerManagerLease: string;
  };
}

/**
 * Returns which controllers rest while a controller manager holds its lease, and the informer that observes it;
 * undefined where none does.
 */
export function yieldToManager(settings: YieldSettings): { yielding: Yielding; group: ControllerGroup } | undefined {
  const { yieldingControllers: entries, controllerManagerLease: key } = settings.options;
  if (entries.length === 0) return undefined;
  const { logger } = settings;
  const leases = leaseInformer(settings, key.slice(0, key.indexOf('/')));
  const lease = new ObservedLease(leases, key);
  lease.onChange(() =>
    lease.isHeld
      ? logger.info('controllers rest: a controller manager runs', { lease: key, holder: lease.holder })
      : logger.info('controllers run: no controller manager holds its lease', { lease: key }),
  );
  return {
    yielding: { lease, includes: (controller) => yieldsController(entries, controller) },
    group: {
      controllers: [],
      start: () => void leases.start(),
      async stop() {
        lease.stop();
        await leases.stop();
      },
    },
  };
}

function leaseInformer({ deps, store, feed, logger }: YieldSettings, namespace: string): StoreInformer<LeaseSpec> {
  const endpoint = storedEndpoint(deps, 'coordination.orch.io', 'leases');
  return new StoreInformer<LeaseSpec>({
    ...{ source: store, feed, type: endpoint.type, namespace },
    read: (row) => (fromStored(row, endpoint) as Lease).spec ?? {},
    onError: (error) => logger.error('the Leases of controller managers could not be followed', error),
  });
}
