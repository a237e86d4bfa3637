import { NodeConnections } from '@orch/connections';
import { verbsWith } from '@orch/handlers';
import { systemClock } from '@orch/runtime';
import { SharedBound } from '@orch/runtime/work';
import {
  authenticationAttempts,
  bodyUseOf,
  createListener,
  observeSlowClients,
  ResourceRouter,
  SlowClients,
  slowClientLimits,
} from '@orch/serving';
import { declare, type Host } from './process.js';

const NEEDS = [
  'api',
  'observation',
  'requestMetrics',
  'access',
  'fairness',
  'credentials',
  'auditor',
  'aggregated',
  'watches',
  'handedOn',
  'watchProxy',
  'documents',
] as const;

/** The stages that each request passes. */
export const chain = declare({ name: 'chain', needs: NEEDS, makes: ['requests'] }, (process) => ({
  async start() {
    process.provide({ requests: requestsOf(process) });
  },
  async stop() {},
}));

function requestsOf(process: Host<(typeof NEEDS)[number]>) {
  const { serving } = process.settings;
  const { served, deps } = process.need('api');
  const { metrics: all, tracing } = process.need('observation');
  const [{ aggregator }, auditor] = [process.need('aggregated'), process.need('auditor')];
  const proxy = process.need('watchProxy');
  const verbs = verbsWith(deps, connectionsOf(process));
  return createListener({
    ...{ names: deps.names, representations: deps.representations, requestTimeoutMs: deps.limits.requestTimeoutMs },
    ...{ router: new ResourceRouter(served, verbs), verbs },
    authenticator: process.need('credentials').authenticator,
    authenticationAttempted: authenticationAttempts(all),
    authorizer: process.need('access').authorizer,
    flow: flowOf(process),
    watches: process.need('watches'),
    fallback: process.need('documents'),
    ...(proxy && { proxyWatch: (ctx) => proxy.hand(ctx) }),
    ...(aggregator && { aggregator }),
    streams: process.need('handedOn'),
    ...{ metrics: process.need('requestMetrics'), logger: process.logger, slowRequestMs: serving.slowRequestThreshold },
    maxImpersonationValues: serving.maxImpersonationValues,
    ...(auditor && { auditor }),
    ...(tracing && { tracing }),
  });
}

/** Connections to the agents of nodes, and to pods and services. */
const connectionsOf = (process: Host<'credentials' | 'handedOn' | 'observation'>): NodeConnections =>
  new NodeConnections({
    options: process.settings.serving,
    features: process.features,
    metrics: process.need('observation').metrics,
    credentials: () => process.need('credentials').current.agents,
    streams: process.need('handedOn'),
  });

/** Limits of requests that are executed, and of their bodies. */
function flowOf(process: Host<'api' | 'observation' | 'fairness' | 'aggregated'>) {
  const { serving } = process.settings;
  const { served, deps } = process.need('api');
  const slowClients = new SlowClients(slowClientLimits(serving), systemClock);
  observeSlowClients(process.need('observation').metrics, slowClients);
  return {
    ...{ turns: process.need('fairness').turns, slowClients, bodyLimits: deps.limits },
    bodies: new SharedBound({ inAll: serving.maxWaitingBodyBytes, perUser: serving.maxWaitingBodyBytesPerUser }),
    bodyUse: bodyUseOf(served, process.need('aggregated').aggregator),
  };
}
