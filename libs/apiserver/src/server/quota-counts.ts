import type { Logger, Metrics } from '@orch/runtime';
import type { ServingStore } from '@orch/storage';
import { quotaMetrics } from '../metrics/quota-metrics.js';
import { QuotaCount } from '../quota/quota-count.js';
import { QuotaCounter } from '../quota/quota-counter.js';
import { QuotaVerifier, type Verification } from '../quota/quota-verifier.js';
import type { Api } from './assemble.js';
import type { BackendOptions } from './options.js';

export interface QuotaCountSettings {
  readonly api: Api;
  readonly store: ServingStore;
  readonly backend: Pick<BackendOptions, 'quotaVerifyInterval'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Resolves when all kinds are served that any server served before the call. */
  readonly catchUp: () => Promise<void>;
}

/** What counts quotas, and looks now and then whether what they tell is true. */
export function quotaCounter({ api, store, backend, metrics, logger, catchUp }: QuotaCountSettings): QuotaCounter {
  const { deps, served, quotas: index, evaluators } = api;
  const { pipeline } = deps;
  const namespaced = () =>
    [...served.current.types, ...deps.unserved].filter(({ definition }) => definition.namespaced);
  const { endpoint } = index;
  const count = new QuotaCount({ store, pipeline, endpoint, evaluators, namespaced, catchUp });
  const { counted, verified } = quotaMetrics(metrics);
  const onVerified = (verification: Verification) => {
    verified(verification.result);
    if (verification.result === 'mended') tellMended(logger, verification);
  };
  const intervalMs = backend.quotaVerifyInterval;
  const verifier = new QuotaVerifier({ count, quotas: () => index.all(), intervalMs, onVerified });
  return new QuotaCounter({
    ...{ store, index, count, onCounted: counted },
    ...(intervalMs > 0 && { verifier }),
    onError: (error) => logger.error('count of a quota', error),
  });
}

function tellMended(logger: Logger, { key, wrong }: Extract<Verification, { result: 'mended' }>): void {
  const amounts = wrong.map(({ name, told, found }) => `${name}: ${told}, found ${found}`);
  logger.warn('a quota did not tell what is used, and was mended', { ...key, amounts });
}
