import { Client } from '@orch/client';
import { type ComponentServer, componentPages, componentServer } from '@orch/component-server';
import { type Component, HealthRegistry, Metrics } from '@orch/runtime';
import { podResourceMetrics, writtenConfiguration } from '@orch/scheduler';
import type { Pod } from '@orch/schema/types/core/v1';
import type { SchedulerParts } from './parts.js';

/** Connections on which reviews of callers are asked for. */
const CONNECTIONS = 4;

/** The HTTPS port of the process. @param pods all pods that are known */
export function portComponent(
  { options, configuration, connections, logger, names, metrics }: SchedulerParts,
  pods: () => Iterable<Pod>,
): Component {
  const shared = { names, qps: -1, userAgent: 'kube-scheduler', maxConnections: CONNECTIONS };
  const authentication = new Client(connections.authentication, shared);
  const authorization = new Client(connections.authorization, shared);
  const pages = componentPages(new HealthRegistry({ logger }), metrics, () => ({
    componentconfig: writtenConfiguration(configuration, names),
  }));
  const resources = new Metrics();
  podResourceMetrics(resources, pods);
  const served = { ...pages, '/metrics/resources': () => resources.text() };
  let server: ComponentServer | undefined;
  return {
    name: 'port',
    async start() {
      const onError = (error: unknown) => logger.error('a request of the port failed', error);
      server = await componentServer(options, { authentication, authorization, names, pages: served, onError });
      await server?.start();
      if (server) logger.info('serving health and metrics', { port: server.port });
    },
    async stop() {
      await server?.stop();
      await Promise.all([authentication.close(), authorization.close()]);
    },
  };
}
