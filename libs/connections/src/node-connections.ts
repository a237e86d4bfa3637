import type { Connections, NodeBackend, PodSession } from '@orch/handlers';
import { shuttingDown } from '@orch/resources';
import type { Metrics } from '@orch/runtime';
import type { Features } from '@orch/schema';
import { type HandedStreams, type RequestContext, type Upgrade, wantsWebSocket } from '@orch/serving';
import { offeredProtocols } from '@orch/streaming';
import { AgentConnector, type AgentCredentials } from './agent-connector.js';
import type { AgentOptions } from './agent-options.js';
import { V5 } from './command-messages.js';
import { passLog } from './log.js';
import { type LogMetrics, logMetrics } from './log-metrics.js';
import { passProxied } from './proxy.js';
import { translateCommand } from './translated-command.js';
import { isTunnel, tunnelPorts } from './tunnel.js';
import { passUpgrade } from './upgrade.js';

/** Settings of {@link NodeConnections}. */
interface NodeConnectionsSettings {
  /** Options of the process. */
  readonly options: AgentOptions;
  /** Features of this process. */
  readonly features: Features;
  /** Metrics of this process. */
  readonly metrics: Metrics;
  /** Returns the current credentials; new connections are made with them. */
  readonly credentials: () => AgentCredentials;
  /** Knows whether the process is shutting down, and detects peers that have vanished. */
  readonly streams: Pick<HandedStreams, 'draining' | 'connections'>;
  /** Whether connections may go to an IP address. Default: to those that are no addresses of this machine or link. */
  readonly allows?: (address: string) => boolean;
}

/** Connects clients to the agents of nodes, and to what pods and services serve. */
export class NodeConnections implements Connections {
  /** Types of node addresses, in the order in which they are tried. */
  readonly addressTypes: readonly string[];
  readonly #connector: AgentConnector;
  readonly #logs: LogMetrics;

  constructor(private readonly settings: NodeConnectionsSettings) {
    const { options, credentials, streams, metrics, allows } = settings;
    this.#logs = logMetrics(metrics);
    this.addressTypes = options.kubeletPreferredAddressTypes;
    const { connections } = streams;
    this.#connector = new AgentConnector({
      ...{ credentials, connections, connectMs: options.kubeletTimeout },
      ...(allows && { allows }),
    });
  }

  /** See {@link Connections.log}. */
  async log(ctx: RequestContext, backend: NodeBackend, about: { resource: string; name: string }): Promise<void> {
    this.#checkOpen();
    const { streamIdleTimeout: unreadMs } = this.settings.options;
    await passLog(ctx, { connector: this.#connector, metrics: this.#logs, unreadMs }, backend, about);
  }

  /** See {@link Connections.upgrade}. */
  async upgrade(ctx: RequestContext, client: Upgrade, backend: NodeBackend, session?: PodSession): Promise<void> {
    this.#checkOpen();
    const { features, options } = this.settings;
    const { maxStreamMessageBytes: maxMessage, streamIdleTimeout: idleMs } = options;
    if (session === undefined)
      return passUpgrade(ctx, client, this.#connector, backend, { idleMs: 0, unreadMs: idleMs });
    const request = { ctx, client, maxMessage, idleMs };
    const offered = wantsWebSocket(ctx.req) ? offeredProtocols(ctx.req) : [];
    if (session === 'ports') {
      if (features.enabled('PortForwardWebsockets') && offered.some(isTunnel))
        return tunnelPorts(request, this.#connector, backend);
    } else if (features.enabled('TranslateStreamCloseWebsocketRequests') && offered.includes(V5))
      return translateCommand(request, this.#connector, backend, session);
    await passUpgrade(ctx, client, this.#connector, backend, { idleMs, unreadMs: idleMs });
  }

  /** See {@link Connections.proxy}. */
  async proxy(ctx: RequestContext, backend: NodeBackend, prefix: string): Promise<void> {
    this.#checkOpen();
    await passProxied(ctx, this.#connector, backend, prefix);
  }

  /** @throws StatusError 429 while the process is shutting down: a stream would soon be cut */
  #checkOpen(): void {
    if (this.settings.streams.draining) throw shuttingDown();
  }
}
