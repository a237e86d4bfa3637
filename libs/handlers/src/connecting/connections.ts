import { StatusError } from '@orch/machinery';
import type { RequestContext, Upgrade } from '@orch/serving';

/** A server on a node: the node's agent, or what a pod serves. */
export interface NodeBackend {
  /**
   * The kind of server: an agent is shown the client certificate of this server and must have a certificate of the
   * authority of agents, unless it is not to be verified; what a pod serves is shown nothing and is never verified.
   */
  readonly serves: 'agent' | 'unverified-agent' | 'pod';
  /** Whether it speaks TLS. */
  readonly secure: boolean;
  /** Host name or IP address. */
  readonly host: string;
  /** TCP port. */
  readonly port: number;
  /** Path and query of the request to it. */
  readonly path: string;
}

/** The streams that a client asks for of a command that runs in a pod. */
export interface CommandSession {
  /** Standard input. */
  readonly stdin: boolean;
  /** Standard output. */
  readonly stdout: boolean;
  /** Standard error; without meaning for a terminal. */
  readonly stderr: boolean;
  /** Sizes of a terminal, which the command runs in. */
  readonly tty: boolean;
}

/** A session with a pod: a command, or ports that are forwarded. */
export type PodSession = CommandSession | 'ports';

/** Connections of this process to nodes and to what runs on them. */
export interface Connections {
  /** Types of node addresses, in the order in which they are tried. */
  readonly addressTypes: readonly string[];
  /**
   * Answers with the log that an agent sends, as it comes.
   * @param about names the log in errors of the agent
   * @throws StatusError of the agent; 500 when it cannot be reached, 400 for an address that is not allowed
   */
  log(
    ctx: RequestContext,
    backend: NodeBackend,
    about: { readonly resource: string; readonly name: string },
  ): Promise<void>;
  /**
   * Connects a client that asks for another protocol to an agent, which decides about it; resolves once bytes are
   * passed on, or the refusal of the agent has been.
   * @param session session of a pod that is asked for, whose protocol may be translated; absent for a proxy
   * @throws StatusError 500 when there is no connection, or no other protocol; 400 for an address that is not allowed
   */
  upgrade(ctx: RequestContext, client: Upgrade, backend: NodeBackend, session?: PodSession): Promise<void>;
  /**
   * Passes a request on, and its answer back, with the bodies as they come. Links in the answer are led back below the
   * path of the proxy.
   * @param prefix path of the proxy, which the path of the backend follows
   * @throws StatusError 503 when the backend cannot be reached; 400 for an address that is not allowed
   */
  proxy(ctx: RequestContext, backend: NodeBackend, prefix: string): Promise<void>;
}

/** The URL of a request to a backend, as errors show it. */
export const urlOf = ({ secure, host, port, path }: NodeBackend): string =>
  `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;

/** A 500 without a reason: an error that the reference passes on as it is. */
export function unexplained(message: string): StatusError {
  const error = new StatusError('InternalError', message);
  delete error.status.reason;
  return error;
}

const nowhere = async (): Promise<never> => {
  throw unexplained('this process connects to no nodes');
};

/** The connections of a process that makes none. */
export const NO_CONNECTIONS: Connections = {
  addressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  log: nowhere,
  upgrade: nowhere,
  proxy: nowhere,
};
