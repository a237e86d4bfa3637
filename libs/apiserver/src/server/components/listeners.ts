import type { IncomingMessage } from 'node:http';
import { writeKubeconfig } from '@orch/client';
import { type CredentialSet, tlsSettings } from '@orch/credentials';
import { afterGrace } from '@orch/runtime';
import { connectionLimits, connectsTo, type Listeners, openListeners, requestInfoOf } from '@orch/serving';
import { publicAddressOf, urlOf } from '../addresses.js';
import type { ServingOptions } from '../options.js';
import { declare, type Host } from './process.js';

/** Share of the time for finishing that the ends of watches may be spread over. */
const DRAIN_SHARE = 0.5;

const NEEDS = [
  'api',
  'changes',
  'credentials',
  'aggregated',
  'vanishedPeers',
  'handedOn',
  'requestMetrics',
  'requests',
] as const;

type Process = Host<(typeof NEEDS)[number], 'served'>;

/** Sockets that clients connect to: once they are open, requests are answered. */
export const listeners = declare({ name: 'listeners', needs: NEEDS, makes: ['served'] }, (process) => {
  let isBootstrapped = false;
  // Sockets are open before the objects exist that clients rely on (the namespace `default`, the kubeconfig).
  const bootstrap = {
    name: 'bootstrap',
    check() {
      if (!isBootstrapped) throw new Error('the process is still starting');
    },
  };
  const { livezGracePeriod } = process.settings.serving;
  process.health.add(bootstrap, 'readyz').add(afterGrace(bootstrap, livezGracePeriod), 'livez');
  return {
    async start() {
      const { serving, role } = process.settings;
      const credentials = process.need('credentials');
      const opened = await open(process);
      const { securePort } = opened;
      const url = urlOf(serving, securePort);
      const publicAddress = publicAddressOf(serving, securePort, url);
      process.provide({ served: { securePort, url, publicAddress, close: (deadline) => opened.close(deadline) } });
      credentials.onChange(async (set) => {
        opened.show(set);
        await writeAdminKubeconfig(serving, set, url);
      });
      if (role.housekeeping) await process.need('api').bootstrap(securePort);
      process.need('aggregated').publishTrust();
      await writeAdminKubeconfig(serving, credentials.current, url);
      isBootstrapped = true;
    },
    stop: (deadline) => close(process, deadline),
  };
});

function open(process: Process): Promise<Listeners> {
  const { serving } = process.settings;
  const { aggregator } = process.need('aggregated');
  const metrics = process.need('requestMetrics');
  return openListeners({
    listener: process.need('requests'),
    takesUpgrade: (req) => aggregator?.takesUpgrade(req) === true || isConnecting(req),
    credentials: process.need('credentials').current,
    tls: tlsSettings(serving.tlsMinVersion, serving.tlsCipherSuites),
    ...{ bindAddress: serving.bindAddress, securePort: serving.securePort, insecurePort: serving.insecurePort },
    limits: connectionLimits(serving),
    onRefused: (limit) => metrics.refused(limit),
    http2MaxStreams: serving.http2MaxStreamsPerConnection,
    watchBufferBytes: serving.watchBufferBytes,
    vanishedPeers: process.need('vanishedPeers'),
  });
}

/** Whether a request connects its client to a pod, a service or a node, with whatever protocol. */
function isConnecting(req: IncomingMessage): boolean {
  const info = requestInfoOf(req);
  return info !== undefined && connectsTo(info);
}

async function writeAdminKubeconfig(
  { kubeconfigOut }: ServingOptions,
  { admin, servingCa }: CredentialSet,
  url: string,
) {
  if (kubeconfigOut === undefined || !admin) return;
  const { cert, key } = admin;
  await writeKubeconfig(kubeconfigOut, { server: url, cert, key, ...(servingCa !== undefined && { ca: servingCa }) });
}

async function close(process: Process, deadline: AbortSignal): Promise<void> {
  const tell = () => process.logger.warn('requests that are still in flight are aborted');
  deadline.addEventListener('abort', tell);
  const closed = process.peek('served')?.close(deadline);
  const { cache } = process.need('changes');
  const handedOn = process.peek('handedOn');
  const { shutdownWatchRate: rate, shutdownDrainDuration } = process.settings.serving;
  const watches = cache.watchers + (handedOn?.size ?? 0);
  const spread = Math.min((watches / rate) * 1000, shutdownDrainDuration * DRAIN_SHARE);
  await Promise.all([handedOn?.drain(spread), cache.drain(spread), closed]);
  deadline.removeEventListener('abort', tell);
}
