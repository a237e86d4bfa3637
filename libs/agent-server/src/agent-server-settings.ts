import type { Client } from '@orch/client';
import type { Runtime } from '@orch/container-runtime';
import type { Names } from '@orch/machinery';
import type { UsageMeter } from '@orch/node-resources';
import type { Clock, Logger, Metrics } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';

/** The options of the agent that its port uses. */
interface AgentServerOptions {
  /** See `--address`. */
  readonly address: string;
  /** See `--port`; 0 for any that is free. */
  readonly port: number;
  /** See `--healthz-bind-address`. */
  readonly healthzBindAddress: string;
  /** See `--healthz-port`; 0 for none. */
  readonly healthzPort: number;
  /** See `--enable-server`. */
  readonly enableServer: boolean;
  /** See `--enable-debugging-handlers`. */
  readonly enableDebuggingHandlers: boolean;
  /** See `--streaming-connection-idle-timeout`; milliseconds. */
  readonly streamingConnectionIdleTimeout: number;
  /** See `--unauthenticated-connection-timeout`; milliseconds. */
  readonly unauthenticatedConnectionTimeout: number;
  /** See `--anonymous-auth`. */
  readonly anonymousAuth: boolean;
  /** See `--authentication-token-webhook`. */
  readonly authenticationTokenWebhook: boolean;
  /** See `--authentication-token-webhook-cache-ttl`; milliseconds. */
  readonly authenticationTokenWebhookCacheTtl: number;
  /** See `--authorization-mode`. */
  readonly authorizationMode: string;
  /** See `--authorization-webhook-cache-authorized-ttl`; milliseconds. */
  readonly authorizationWebhookCacheAuthorizedTtl: number;
  /** See `--authorization-webhook-cache-unauthorized-ttl`; milliseconds. */
  readonly authorizationWebhookCacheUnauthorizedTtl: number;
  /** See `--client-ca-file`. */
  readonly clientCaFile: string | undefined;
}

/** A certificate with its key, PEM. */
interface ServingPair {
  /** The certificate and its intermediates. */
  readonly cert: string;
  /** Its key. */
  readonly key: string;
}

/** Counts of the agent's probes (`prober_probe_total`). */
export interface ProbeCount {
  /** Kind of the probe: `Liveness`, `Readiness`, `Startup`. */
  readonly type: string;
  /** `successful`, `failed` or `unknown`. */
  readonly result: string;
  /** Name of the container. */
  readonly container: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its uid. */
  readonly uid: string;
  /** How often. */
  readonly count: number;
}

/** The agent, as far as its port needs to know it. */
export interface ServedAgent {
  /** Name of the node. */
  readonly nodeName: string;
  /** Returns the pods of the node, each with its current status; mirror pods are not among them. */
  pods(): Iterable<Pod>;
  /** Returns why the loop over the pods is not healthy; undefined if it is. */
  syncProblem(): string | undefined;
  /** Returns the configuration, as `kubeletconfig` of `/configz`. */
  configuration(): unknown;
  /** Measures the node and the volumes of pods. */
  readonly usage: Pick<UsageMeter, 'node' | 'volumes'>;
  /** Returns the counts of the probes. */
  probes(): Iterable<ProbeCount>;
}

/** Settings of {@link AgentServer}. */
export interface AgentServerSettings {
  /** Options of the agent. */
  readonly options: AgentServerOptions;
  /** The agent. */
  readonly agent: ServedAgent;
  /** Runtime of the containers. */
  readonly runtime: Runtime;
  /** Client of the API, for reviews; absent without one. */
  readonly client?: Pick<Client, 'create'>;
  /** Names of the installation. */
  readonly names: Names;
  /** Metrics of the process. */
  readonly metrics: Metrics;
  /** Log of the port. */
  readonly logger: Logger;
  /** Time of measurements, and of logs that are followed. */
  readonly clock: Clock;
  /** Returns the serving certificate; undefined while there is none: handshakes fail. Call {@link AgentServer.renew} when it has changed. */
  readonly pair: () => ServingPair | undefined;
  /** Folder whose files `/logs/` shows. Default `/var/log`. */
  readonly logFolder?: string;
}
