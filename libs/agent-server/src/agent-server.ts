import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ComponentServer } from '@orch/component-server';
import { type AgentAccess, attributesOf, openAccess, refusalOf } from './access.js';
import { AgentHandler } from './agent-handler.js';
import type { AgentServerSettings } from './agent-server-settings.js';

/** Milliseconds for the head of a request of the health port, and its connections at a time. */
const [HEAD_MS, MAX_CONNECTIONS] = [10_000, 64];

/** The ports of a node agent: the one that all of it is served on, and the one of its health. */
export class AgentServer {
  readonly #secure: ComponentServer | undefined;
  readonly #health: Server | undefined;

  private constructor(
    private readonly settings: AgentServerSettings,
    access: AgentAccess,
  ) {
    const { options } = settings;
    if (options.enableServer) this.#secure = secureServer(settings, access);
    if (options.healthzPort !== 0) this.#health = healthServer(settings);
  }

  /** Makes the ports that the options want. @throws Error for files that cannot be used, and for reviews without an API */
  static async open(settings: AgentServerSettings): Promise<AgentServer> {
    return new AgentServer(settings, await openAccess(settings));
  }

  /** Port that all is served on; 0 for none. */
  get port(): number {
    return this.#secure?.port ?? 0;
  }

  /** Port of the health page; 0 for none. */
  get healthPort(): number {
    return (this.#health?.address() as AddressInfo | undefined)?.port ?? 0;
  }

  /** Uses the certificate that there is now for new connections. */
  renew(): void {
    const pair = this.settings.pair();
    if (pair) this.#secure?.renew(pair);
  }

  /** Resolves when connections are taken. @throws Error where a port cannot be had */
  async start(): Promise<void> {
    const { options, logger } = this.settings;
    if (options.enableServer && isOpenToAll(options))
      logger.warn('everybody who reaches the port of the agent may run commands in its containers', {
        address: options.address,
      });
    await this.#secure?.start();
    try {
      await this.#startHealth();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #startHealth(): Promise<void> {
    const { options, logger } = this.settings;
    const health = this.#health;
    if (!health) return;
    await new Promise<void>((resolve, reject) => {
      health.once('error', reject);
      health.listen(options.healthzPort, options.healthzBindAddress, () => {
        health.off('error', reject);
        health.on('error', (error) => logger.warn('the health port has failed', { err: String(error) }));
        resolve();
      });
    });
  }

  /** Closes the ports and all connections. */
  async stop(): Promise<void> {
    const health = this.#health;
    await this.#secure?.stop();
    if (!health?.listening) return;
    health.closeAllConnections();
    await new Promise<void>((resolve) => {
      health.close(() => resolve());
    });
  }
}

const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

const isOpenToAll = ({ address, anonymousAuth, authorizationMode }: AgentServerSettings['options']): boolean =>
  anonymousAuth && authorizationMode === 'AlwaysAllow' && !LOOPBACK.test(address);

function secureServer(settings: AgentServerSettings, access: AgentAccess): ComponentServer {
  const { options, agent, logger, pair } = settings;
  return new ComponentServer({
    ...{ address: options.address, port: options.port, pair: pair(), ...access, allowedPaths: [] },
    strangerMs: options.unauthenticatedConnectionTimeout,
    attributes: (request, path) => attributesOf(request, path, agent.nodeName),
    ...{ refusal: refusalOf, refusalEnd: '', handler: new AgentHandler(settings) },
    onError: (error) => logger.warn('a request cannot be answered', { err: String(error) }),
  });
}

function healthServer({ agent }: AgentServerSettings): Server {
  const server = createServer({ headersTimeout: HEAD_MS, requestTimeout: HEAD_MS }, (request, response) => {
    request.resume();
    const [path] = (request.url ?? '').split('?');
    const problem = agent.syncProblem();
    const isKnown = path === '/healthz';
    const body = isKnown ? (problem ?? 'ok') : '404 page not found\n';
    response.writeHead(isKnown ? (problem === undefined ? 200 : 500) : 404, {
      'content-type': 'text/plain; charset=utf-8',
    });
    response.end(body);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
