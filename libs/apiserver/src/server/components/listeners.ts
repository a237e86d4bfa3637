import { afterGrace } from '@orch/runtime';
import { type Served, serve } from '../serve.js';
import { declare, type Host } from './process.js';

/** Share of the time for finishing that the ends of watches may be spread over. */
const DRAIN_SHARE = 0.5;

const NEEDS = [
  'api',
  'store',
  'changes',
  'observation',
  'admissionWebhooks',
  'access',
  'fairness',
  'tokens',
  'serviceAccountKeys',
  'credentials',
  'auditor',
  'aggregated',
] as const;

type Process = Host<(typeof NEEDS)[number], 'served'>;

/** Sockets that clients connect to. */
export const listeners = declare({ name: 'listeners', needs: NEEDS, makes: ['served'] }, (process) => {
  let isBootstrapped = false;
  // Sockets are open before the objects exist that clients rely on (the namespace `default`, the kubeconfig).
  const bootstrap = {
    name: 'bootstrap',
    check() {
      if (!isBootstrapped) throw new Error('the process is still starting');
    },
  };
  process.health
    .add(bootstrap, 'readyz')
    .add(afterGrace(bootstrap, process.settings.serving.livezGracePeriod), 'livez');
  return {
    async start() {
      const { settings } = process;
      const api = process.need('api');
      const served = await listen(process);
      if (settings.role.housekeeping) await api.bootstrap(served.securePort);
      process.need('aggregated').publishTrust();
      await served.announce();
      isBootstrapped = true;
    },
    stop: (deadline) => close(process, deadline),
  };
});

async function listen(process: Process): Promise<Served> {
  const { settings, features, health, logger } = process;
  const { serving, role, metricsPage = (own) => own } = settings;
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
  process.provide({ served });
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
