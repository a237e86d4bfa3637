import { systemClock } from '@orch/runtime';
import {
  checkGatewayClient,
  clientRequests,
  HandedStreams,
  OutgoingConnections,
  outgoingCuts,
  refusalFrames,
  VanishedPeers,
  vanishedClients,
  WatchProxy,
} from '@orch/serving';
import { declare, type Host } from './process.js';

const NEEDS = ['api', 'observation', 'credentials'] as const;

type Process = Host<(typeof NEEDS)[number]>;

/** Detection of peers that have vanished, and the streams that other processes serve for clients of this one. */
export const connections = declare(
  { name: 'connections', needs: NEEDS, makes: ['vanishedPeers', 'handedOn', 'watchProxy'] },
  (process) => ({
    async start() {
      const { serving } = process.settings;
      const { metrics } = process.need('observation');
      const vanishedPeers = new VanishedPeers({
        clock: systemClock,
        timeoutMs: serving.tcpUserTimeout,
        onVanished: vanishedClients(metrics),
        onError: (error) => process.logger.error('looking for vanished peers failed', error),
      });
      const outgoing = new OutgoingConnections({
        vanished: vanishedPeers,
        peerTimeoutMs: serving.tcpUserTimeout,
        silenceMs: serving.gatewaySilenceTimeout,
        onCut: outgoingCuts(metrics),
      });
      const handedOn = new HandedStreams({ connections: outgoing, limits: process.need('api').deps.limits });
      process.provide({ vanishedPeers, handedOn, watchProxy: proxyOf(process, handedOn, clientRequests(metrics)) });
    },
    async stop() {},
  }),
);

/** Proxies watches to the gateways; undefined where they are served here. */
function proxyOf(
  process: Process,
  handedOn: HandedStreams,
  onSent: ReturnType<typeof clientRequests>,
): WatchProxy | undefined {
  const { gatewayUrls } = process.settings.role;
  if (gatewayUrls.length === 0) return undefined;
  const credentials = process.need('credentials');
  const warning = checkGatewayClient(credentials.current);
  if (warning !== undefined) process.logger.warn(warning);
  const { representations } = process.need('api').deps;
  return new WatchProxy(
    gatewayUrls,
    () => credentials.current,
    handedOn,
    onSent,
    (ctx) => refusalFrames(ctx, representations),
  );
}
