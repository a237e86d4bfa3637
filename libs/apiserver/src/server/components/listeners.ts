import { healthChecks } from '../health-checks.js';
import { type Served, serve } from '../serve.js';
import { declare, type Host, healthOf } from './process.js';

/** Share of the time for finishing that the ends of watches may be spread over. */
const DRAIN_SHARE = 0.5;

const NEEDS = [
  'api',
  'store',
  'changes',
  'observation',
  'encryption',
  'admissionWebhooks',
  'access',
  'fairness',
  'tokens',
  'serviceAccountKeys',
  'credentials',
  'auditor',
  'aggregated',
] as const;

type Process = Host<(typeof NEEDS)[number], 'healthEndpoints' | 'served'>;

/** Sockets that clients connect to. */
export const listeners = declare(
  { name: 'listeners', needs: NEEDS, makes: ['healthEndpoints', 'served'] },
  (process) => {
    let isBootstrapped = false;
    return {
      async start() {
        const { settings } = process;
        const api = process.need('api');
        const served = await listen(process, () => isBootstrapped);
        if (settings.role.housekeeping) await api.bootstrap(served.securePort);
        process.need('aggregated').publishTrust();
        await served.announce();
        isBootstrapped = true;
      },
      stop: (deadline) => close(process, deadline),
    };
  },
);

async function listen(process: Process, isBootstrapped: () => boolean): Promise<Served> {
  const { settings, features, lifecycle, logger } = process;
  const { serving, role, metricsPage = (own) => own } = settings;
  const encryption = process.need('encryption');
  const health = healthChecks({
    ...{ logger, isBootstrapped, stopping: lifecycle.stopping, livezGraceMs: serving.livezGracePeriod },
    ...healthOf(process),
    hasPolicy: () => process.need('access').isReady,
    ...(encryption && { encryption }),
  });
  const auditor = process.need('auditor');
  const served = await serve({
    ...{ serving, features, health, logger, metricsPage },
    api: process.need('api'),
    webhooks: () => process.peek('admissionWebhooks')?.states() ?? [],
    observation: process.need('observation'),
    gatewayUrls: role.gatewayUrls,
    credentials: process.need('credentials'),
    access: process.need('access'),
    tokens: process.need('tokens'),
    serviceAccountKeys: process.need('serviceAccountKeys'),
    aggregated: process.need('aggregated'),
    fairness: process.need('fairness'),
    ...(auditor && { auditor }),
  });
  process.provide({ healthEndpoints: health, served });
  return served;
}

async function close(process: Process, deadline: AbortSignal): Promise<void> {
  const served = process.peek('served');
  const tell = () => process.logger.warn('requests that are still in flight are aborted');
  deadline.addEventListener('abort', tell);
  const closed = served?.close(deadline);
  const { cache } = process.need('changes');
  const handedOn = served?.handedOn;
  const { shutdownWatchRate: rate, shutdownDrainDuration } = process.settings.serving;
  const watches = cache.watchers + (handedOn?.size ?? 0);
  const spread = Math.min((watches / rate) * 1000, shutdownDrainDuration * DRAIN_SHARE);
  await Promise.all([handedOn?.drain(spread), cache.drain(spread), closed]);
  deadline.removeEventListener('abort', tell);
}
