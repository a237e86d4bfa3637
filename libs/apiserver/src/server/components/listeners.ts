import type { Component } from '@orch/runtime';
import { healthChecks } from '../health-checks.js';
import { serve } from '../serve.js';
import type { ControlPlaneProcess } from './process.js';

/** Share of the time for finishing that the ends of watches may be spread over. */
const DRAIN_SHARE = 0.5;

/** What clients come to. */
export function listeners(process: ControlPlaneProcess): Component {
  let isBootstrapped = false;
  return {
    name: 'listeners',
    async start() {
      const { settings } = process;
      const api = process.need('api');
      await listen(process, () => isBootstrapped);
      const served = process.need('served');
      if (settings.role.housekeeping) await api.bootstrap(served.securePort);
      process.need('aggregated').publishTrust();
      await served.announce();
      isBootstrapped = true;
    },
    stop: (deadline) => close(process, deadline),
  };
}

async function listen(process: ControlPlaneProcess, isBootstrapped: () => boolean): Promise<void> {
  const { settings, features, lifecycle, logger } = process;
  const { serving, role, metricsPage = (own) => own } = settings;
  const encryption = process.need('encryption');
  const health = healthChecks({
    ...{ logger, isBootstrapped, stopping: lifecycle.stopping, livezGraceMs: serving.livezGracePeriod },
    ...process.health,
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
}

async function close(process: ControlPlaneProcess, deadline: AbortSignal): Promise<void> {
  const served = process.peek('served');
  const tell = () => process.logger.warn('requests that are still under way are cut');
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
