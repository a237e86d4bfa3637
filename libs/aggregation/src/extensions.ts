import type { Agent } from 'node:https';
import { clusterAddress, endpointAddress } from '@orch/admission-host';
import type { Pair } from '@orch/serving';
import { peerOptions } from '@orch/tls';
import type { Backing } from './availability.js';
import type { ServiceName } from './backings.js';
import { ExtensionAgent } from './extension-agent.js';
import type { Extension } from './forward.js';
import type { ServicePlace } from './registration.js';
import type { RemoteRegistration } from './remote-registrations.js';

interface ExtensionsOptions {
  /** Returns the cached state of a Service; undefined before it was read. */
  backingOf(service: ServiceName): Backing | undefined;
  /** Whether connections go to the endpoints of a service, not to its own address (`--enable-aggregator-routing`). */
  readonly routesToEndpoints: boolean;
  /** Returns the current certificate and key that are presented to servers. */
  credentials(): Pair | undefined;
  /** A number from 0 to below 1. Default: at random. */
  readonly random?: () => number;
}

/** Idle connections that are kept to one server for one trust. */
const MAX_IDLE = 32;
/** Milliseconds after which an idle connection is closed: sooner than servers do. */
const IDLE_MS = 60_000;

/** TLS settings of a connection: how the server is verified, and under which name. */
interface Trust {
  readonly ca: string | undefined;
  readonly insecure: boolean;
  readonly serverName: string;
}

const UNVERIFIED = { caBundle: undefined, insecureSkipTLSVerify: true };

const trustOf = ({ service, caBundle, insecureSkipTLSVerify }: RemoteRegistration): Trust => ({
  ca: caBundle,
  insecure: insecureSkipTLSVerify,
  serverName: `${service.name}.${service.namespace}.svc`,
});

/** How the servers that group-versions are registered for are reached, with the connections that are kept to them. */
export class Extensions {
  readonly #agents = new Map<string, { readonly agent: Agent; readonly pair: Pair | undefined }>();

  constructor(private readonly options: ExtensionsOptions) {}

  /**
   * The server that answers for a registration.
   * @throws Error, StatusError 503 saying why there is none
   */
  of(registration: RemoteRegistration): Extension {
    const trust = trustOf(registration);
    return { ...this.addressOf(registration.service), serverName: trust.serverName, agent: this.#agent(trust) };
  }

  /** Returns the same server without verification of its certificate, for checks of availability. */
  unverified(registration: RemoteRegistration): Extension {
    return this.of({ ...registration, ...UNVERIFIED });
  }

  /** @throws Error, StatusError 503 saying why there is none */
  addressOf({ namespace, name, port }: ServicePlace): Pick<Extension, 'host' | 'port'> {
    const { backingOf, routesToEndpoints, random = Math.random } = this.options;
    const { service, endpoints } = backingOf({ namespace, name }) ?? {};
    if (!service) throw new Error(`service ${JSON.stringify(name)} not found`);
    if (!routesToEndpoints) return clusterAddress(service, port);
    return endpointAddress(service, endpoints ?? {}, port, random);
  }

  /** Closes the connections that no registration uses any more, or uses with other TLS settings. */
  keep(registrations: Iterable<RemoteRegistration>): void {
    const trusts = [...registrations].flatMap((each) => [trustOf(each), trustOf({ ...each, ...UNVERIFIED })]);
    const keys = new Set(trusts.map((trust) => JSON.stringify(trust)));
    for (const [key, { agent }] of this.#agents) {
      if (keys.has(key)) continue;
      retire(agent);
      this.#agents.delete(key);
    }
  }

  /** Closes all connections, also those in use. */
  close(): void {
    for (const { agent } of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(trust: Trust): Agent {
    const key = JSON.stringify(trust);
    const pair = this.options.credentials();
    const known = this.#agents.get(key);
    if (known && known.pair?.cert === pair?.cert && known.pair?.key === pair?.key) return known.agent;
    if (known) retire(known.agent);
    const agent = new ExtensionAgent({
      keepAlive: true,
      maxFreeSockets: MAX_IDLE,
      timeout: IDLE_MS,
      servername: trust.serverName,
      rejectUnauthorized: !trust.insecure,
      ...peerOptions({ ca: trust.ca, ...(pair && { cert: pair.cert, key: pair.key }) }),
    });
    this.#agents.set(key, { agent, pair });
    return agent;
  }
}

/** Closes idle connections now, and those in use once they become idle. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
