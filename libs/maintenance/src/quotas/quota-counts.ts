import type { Controller } from '@orch/controllers';
import type { ApiDeps } from '@orch/handlers';
import type { Evaluators } from '@orch/quota';
import type { Logger, Metrics } from '@orch/runtime';
import type { ServingStore } from '@orch/storage';
import type { ControllerClient, QuotaIndex } from '@orch/writing';
import { quotaController } from './quota-controller.js';
import { QuotaCount } from './quota-count.js';
import { quotaMetrics } from './quota-metrics.js';
import { QuotaVerifier, type Verification } from './quota-verifier.js';

/** Dependencies of the quota controller of a process. */
interface QuotaCountSettings {
  readonly deps: ApiDeps;
  readonly index: QuotaIndex;
  readonly evaluators: Evaluators;
  readonly store: ServingStore;
  /** Writes as the controller. */
  readonly client: ControllerClient;
  /** How often each quota is counted again, milliseconds; 0 for never. */
  readonly verifyIntervalMs: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Resolves when all kinds are served that any server served before the call. */
  readonly catchUp: () => Promise<void>;
}

/** Returns the controller that counts quotas, and verifies their amounts from time to time. */
export function quotaCounts(settings: QuotaCountSettings): Controller {
  const { deps, index, evaluators, store, client, verifyIntervalMs: intervalMs, metrics, logger, catchUp } = settings;
  const { served, unserved } = deps;
  const namespaced = () => [...served.current.types, ...unserved].filter(({ definition }) => definition.namespaced);
  const { endpoint } = index;
  const count = new QuotaCount({ store, client, endpoint, evaluators, namespaced, catchUp });
  const { counted, verified } = quotaMetrics(metrics);
  const onVerified = (verification: Verification) => {
    verified(verification.result);
    if (verification.result === 'mended') tellMended(logger, verification);
  };
  const verifier = new QuotaVerifier({ count, quotas: () => index.all(), intervalMs, onVerified });
  return quotaController({
    ...{ store, index, count, onCounted: counted },
    ...(intervalMs > 0 && { verifier }),
  });
}

function tellMended(logger: Logger, { key, wrong }: Extract<Verification, { result: 'mended' }>): void {
  const amounts = wrong.map(({ name, told, found }) => `${name}: ${told}, found ${found}`);
  logger.warn('the usage of a quota was wrong and was corrected', { ...key, amounts });
}
