import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAuthenticator, TokenFileAuthenticator } from '@orch/authentication';
import { type Authorizer, MASTERS } from '@orch/authorization';
import { type CredentialSet, tlsSettings } from '@orch/credentials';
import { type ApiDeps, verbsWith } from '@orch/handlers';
import { Metrics, silentLogger, systemClock } from '@orch/runtime';
import { SharedBound } from '@orch/runtime/work';
import {
  connectionLimits,
  createListener,
  type Listeners,
  OpenWatches,
  openListeners,
  RequestMetrics,
  ResourceRouter,
  SlowClients,
  type Turns,
} from '@orch/serving';
import type { ServingOptions } from '../options.js';

/** Parts of the process that a server for warming up is made of. */
interface WarmUpServerParts {
  /** Dependencies of handlers, upon a store whose objects nobody else sees. */
  readonly deps: ApiDeps;
  /** Authorizer of the process. */
  readonly authorizer: Authorizer;
  /** Certificates that the port shows. */
  readonly credentials: CredentialSet;
  /** Limits of connections. */
  readonly serving: ServingOptions;
  /** Token of the only caller. */
  readonly token: string;
}

const UNBOUNDED = { inAll: 0, perUser: 0 };
const SEAT = { isExempt: false, leave: () => undefined };
const TURNS: Turns = { isExempt: () => false, take: () => SEAT, takeAgain: () => SEAT };

/**
 * Opens a port of loopback whose requests run the code of all others, and leave nothing behind: they are not logged,
 * audited, counted, traced or limited. Who has the token may do everything, so that nobody else is to have it.
 */
export function openWarmUpServer(parts: WarmUpServerParts): Promise<Listeners> {
  const { deps, authorizer, credentials, serving, token } = parts;
  const callers = new TokenFileAuthenticator(`${token},orch:warm-up,,${MASTERS}`, 'warm-up');
  const verbs = verbsWith(deps);
  const listener = createListener({
    ...{ names: deps.names, representations: deps.representations, requestTimeoutMs: deps.limits.requestTimeoutMs },
    ...{ router: new ResourceRouter(deps.served, verbs), verbs, authorizer, logger: silentLogger },
    authenticator: createAuthenticator({ tokenVerifiers: [callers], anonymous: false }),
    flow: {
      ...{ turns: TURNS, bodies: new SharedBound(UNBOUNDED), bodyLimits: deps.limits, bodyUse: () => 'read' },
      slowClients: new SlowClients({ bodies: UNBOUNDED, answers: UNBOUNDED, answerBytes: UNBOUNDED }, systemClock),
    },
    watches: new OpenWatches(UNBOUNDED),
    fallback: (_req: IncomingMessage, res: ServerResponse) => res.writeHead(404).end(),
    metrics: new RequestMetrics(new Metrics()),
  });
  return openListeners({
    ...{ listener, credentials, bindAddress: '127.0.0.1', securePort: 0, insecurePort: 0, exclusive: true },
    tls: tlsSettings(serving.tlsMinVersion, serving.tlsCipherSuites),
    // Its connections are few, and are to stay.
    limits: { ...connectionLimits(serving), goawayChance: 0, maxConnections: 0 },
    onRefused: () => undefined,
    http2MaxStreams: serving.http2MaxStreamsPerConnection,
    watchBufferBytes: serving.watchBufferBytes,
  });
}
