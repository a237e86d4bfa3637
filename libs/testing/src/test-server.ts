import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Aggregator } from '@orch/aggregation';
import { type Authenticator, authenticated } from '@orch/authentication';
import { ALLOW, type Authorizer, NO_OPINION } from '@orch/authorization';
import { boundedTurns } from '@orch/fairness';
import { verbsWith } from '@orch/handlers';
import { type Logger, Metrics, silentLogger, systemClock, type Tracing } from '@orch/runtime';
import { SharedBound } from '@orch/runtime/work';
import {
  type Auditor,
  bodyUseOf,
  createListener,
  type FlowControl,
  type HandedStreams,
  meetExpectations,
  newContext,
  type OpenContext,
  OpenWatches,
  type RequestContext,
  RequestMetrics,
  ResourceRouter,
  SlowClients,
} from '@orch/serving';
import type { TestApi } from './test-api.js';

/** An answer read to its end, or to where it was cut. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** False when the connection was cut before the body's end. */
  readonly complete: boolean;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** A listener on a loopback port. */
export interface TestServer {
  readonly port: number;
  ask(path: string, options?: Ask): Promise<Answer>;
  close(): Promise<void>;
}

export async function openServer(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  meetExpectations(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    ask: (path, options) => ask(port, path, options),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** One request on a connection of its own. */
function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = { host: '127.0.0.1', port, path, method, headers: { ...length, ...headers }, agent: false };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => undefined);
      answer.on('close', () => {
        const { statusCode: status = 0, complete } = answer;
        resolve({ status, headers: answer.headers, body: Buffer.concat(chunks), complete });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const ADMIN = authenticated({ name: 'admin', groups: ['system:masters'], extra: {} }, 'token');
const ADMINISTRATOR: Authenticator = { authenticate: async () => ADMIN };

/** Lets whoever has credentials do everything. */
const knownUsers: Authorizer = {
  authorize: async ({ groups }) => (groups.includes('system:unauthenticated') ? NO_OPINION : ALLOW),
};

export interface ListenOverrides {
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly fallback?: RequestListener;
  readonly proxyWatch?: (ctx: RequestContext) => Promise<void>;
  readonly aggregator?: Aggregator;
  readonly streams?: HandedStreams;
  /** In place of no limits. */
  readonly flow?: Partial<FlowControl>;
  readonly watches?: OpenWatches;
  readonly metrics?: Metrics;
  readonly logger?: Logger;
  readonly slowRequestMs?: number;
  readonly maxImpersonationValues?: number;
  readonly auditor?: Auditor;
  readonly tracing?: Tracing;
}

const NO_BOUNDS = { inAll: 0, perUser: 0 };
/** Lets everybody have a turn at once. */
const EVERYBODY = boundedTurns({ mutating: 0, readOnly: 0 });

/** The whole chain on an API, with an administrator as the caller. */
export function listenerOf(api: TestApi, overrides: ListenOverrides = {}): RequestListener {
  const { metrics = new Metrics(), flow, ...others } = overrides;
  const verbs = verbsWith(api.deps);
  return createListener({
    names: api.deps.names,
    representations: api.deps.representations,
    requestTimeoutMs: api.deps.limits.requestTimeoutMs,
    router: new ResourceRouter(api.served, verbs),
    verbs,
    authenticator: ADMINISTRATOR,
    authorizer: knownUsers,
    flow: {
      turns: EVERYBODY,
      bodies: new SharedBound(NO_BOUNDS),
      slowClients: new SlowClients({ bodies: NO_BOUNDS, answers: NO_BOUNDS, answerBytes: NO_BOUNDS }, systemClock),
      bodyLimits: api.deps.limits,
      bodyUse: bodyUseOf(api.served, overrides.aggregator),
      ...flow,
    },
    watches: new OpenWatches(NO_BOUNDS),
    fallback: (_req, res) => res.writeHead(404).end(),
    metrics: new RequestMetrics(metrics),
    logger: silentLogger,
    ...others,
  });
}

/** A request in the middle of the chain, for what is tried without one. */
export function contextOf(req: IncomingMessage, res: ServerResponse, known: Partial<OpenContext> = {}): OpenContext {
  return Object.assign(
    newContext(req, res, { authenticator: ADMINISTRATOR, authorizer: knownUsers }),
    { requestId: 'r-1' },
    known,
  );
}
