import { Client } from '@orch/client';
import { type ComponentServer, componentPages, componentServer } from '@orch/component-server';
import { type Component, HealthRegistry } from '@orch/runtime';
import { writtenConfiguration } from '@orch/scheduler';
import type { Parts } from './parts.js';

/** Connections on which reviews of callers are asked for. */
const CONNECTIONS = 4;

/** The HTTPS port of the process. */
export function portComponent({ options, configuration, connection, logger, names, metrics }: Parts): Component {
  const client = new Client(connection, {
    names,
    qps: -1,
    userAgent: 'kube-scheduler',
    maxConnections: CONNECTIONS,
  });
  const pages = componentPages(new HealthRegistry({ logger }), metrics, () => ({
    componentconfig: writtenConfiguration(configuration, names),
  }));
  let server: ComponentServer | undefined;
  return {
    name: 'port',
    async start() {
      const onError = (error: unknown) => logger.error('a request of the port failed', error);
      server = await componentServer(options, { client, names, pages, onError });
      await server?.start();
      if (server) logger.info('serving health and metrics', { port: server.port });
    },
    async stop() {
      await server?.stop();
      await client.close();
    },
  };
}
