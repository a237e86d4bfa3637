import type { IncomingMessage } from 'node:http';
import type { AccessControl } from '@orch/access';
import type { AggregatedApis } from '@orch/aggregation';
import { isTrusted, KEYS_PATH } from '@orch/authentication';
import { writeKubeconfig } from '@orch/client';
import { NodeConnections } from '@orch/connections';
import {
  type ApiTokens,
  CredentialRechecks,
  type CredentialSet,
  type Credentials,
  type ServiceAccountKeys,
  tlsSettings,
} from '@orch/credentials';
import { createDiscoveryRoutes, createFallbackApp, createIssuerRoutes, type MetricsText } from '@orch/discovery';
import type { Fairness } from '@orch/fairness';
import { verbsWith } from '@orch/handlers';
import { StatusError } from '@orch/machinery';
import { inUrl, ownAddress } from '@orch/maintenance';
import { type HealthRegistry, type Logger, systemClock } from '@orch/runtime';
import { SharedBound } from '@orch/runtime/work';
import type { Features } from '@orch/schema';
import {
  type Auditor,
  authenticationAttempts,
  bodyUseOf,
  checkGatewayClient,
  connectionLimits,
  connectsTo,
  createListener,
  HandedStreams,
  type Listeners,
  OpenWatches,
  OutgoingConnections,
  observeSlowClients,
  openListeners,
  RequestMetrics,
  ResourceRouter,
  refusalFrames,
  requestInfoOf,
  SlowClients,
  slowClientLimits,
  VanishedPeers,
  type Verbs,
  WatchProxy,
} from '@orch/serving';
import type { Observation } from '../metrics/observation.js';
import type { Api } from './assemble.js';
import type { ServingOptions } from './options.js';
import { VERSION } from './version.js';

interface ServeSettings {
  readonly api: Api;
  readonly serving: ServingOptions;
  readonly features: Features;
  readonly health: HealthRegistry;
  readonly observation: Observation;
  readonly logger: Logger;
  /** Gateways to which watches are passed on; empty where they are served here. */
  readonly gatewayUrls: readonly string[];
  /** Makes the page that `/metrics` serves from the metrics of this process. */
  readonly metricsPage: (own: MetricsText) => MetricsText;
  readonly credentials: Credentials;
  readonly access: Pick<AccessControl, 'authorizer' | 'judge'>;
  /** Tokens that this API issues, and the keys that verify them. */
  readonly tokens: Pick<ApiTokens, 'judge'>;
  readonly serviceAccountKeys: ServiceAccountKeys;
  /** How admission webhooks are. */
  readonly webhooks: () => readonly object[];
  /** Records requests; absent where nothing is recorded. */
  readonly auditor?: Auditor;
  /** Decides which request is executed next (priority and fairness). */
  readonly fairness: Pick<Fairness, 'turns' | 'pages'>;
  /** Group-versions that other servers answer for. */
  readonly aggregated: Pick<AggregatedApis, 'aggregator' | 'documents'>;
}

/** Open sockets, and the addresses that clients use for them. */
export interface Served {
  /** Port of HTTPS. */
  readonly securePort: number;
  /** Base URL of the process. */
  readonly url: string;
  /** Writes the administrator's kubeconfig, if one is wanted. */
  announce(): Promise<void>;
  /** Streams that other processes serve for clients of this one. */
  readonly handedOn: HandedStreams;
  /**
   * Stops accepting connections and closes idle ones; resolves when the busy ones have ended, which `deadline` cuts.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/** Opens the sockets of the API: from here on requests are answered. */
export async function serve(settings: ServeSettings): Promise<Served> {
  const { serving, observation, credentials, access } = settings;
  const observeCertificates = ({ certificates }: CredentialSet) =>
    observation.certificateEnds.tell('credentials', certificates);
  observeCertificates(credentials.current);
  const watches = new OpenWatches(
    { inAll: serving.maxWatches, perUser: serving.maxWatchesPerUser },
    { inAll: serving.maxStreams, perUser: serving.maxStreamsPerUser },
  );
  access.judge(watches);
  settings.tokens.judge(watches);
  new CredentialRechecks({ watches, clock: systemClock, logger: settings.logger });
  let publicAddress = serving.publicUrl ?? '';
  const { listeners, handedOn } = await openAll(settings, watches, () => publicAddress);
  const url = urlOf(serving, listeners.securePort);
  publicAddress = publicAddressOf(serving, listeners.securePort, url);
  const announce = () => writeAdminKubeconfig(serving, credentials.current, url);
  credentials.onChange(async (set) => {
    listeners.show(set);
    observeCertificates(set);
    await writeAdminKubeconfig(serving, set, url);
  });
  credentials.onTaken(({ trust }) =>
    watches.judgeAgain(({ authentication }) => (isTrusted(trust, authentication) ? undefined : notTrusted())),
  );
  return { securePort: listeners.securePort, url, announce, handedOn, close: (deadline) => listeners.close(deadline) };
}

/** Ends the watches of callers that are not authenticated any more. */
const notTrusted = () => new StatusError('Unauthorized', 'Unauthorized');

function proxyOf(
  { api, gatewayUrls, observation, credentials, logger }: ServeSettings,
  handedOn: HandedStreams,
): WatchProxy | undefined {
  if (gatewayUrls.length === 0) return undefined;
  const warning = checkGatewayClient(credentials.current);
  if (warning !== undefined) logger.warn(warning);
  const { representations } = api.deps;
  return new WatchProxy(
    gatewayUrls,
    () => credentials.current,
    handedOn,
    observation.requestSent,
    (ctx) => refusalFrames(ctx, representations),
  );
}

async function openAll(
  settings: ServeSettings,
  watches: OpenWatches,
  publicAddress: () => string,
): Promise<{ listeners: Listeners; handedOn: HandedStreams }> {
  const { serving, observation, credentials, logger } = settings;
  const { aggregator } = settings.aggregated;
  const vanishedPeers = new VanishedPeers({
    clock: systemClock,
    timeoutMs: serving.tcpUserTimeout,
    onVanished: observation.clientVanished,
    onError: (error) => logger.error('looking for vanished peers', error),
  });
  const connections = new OutgoingConnections({
    vanished: vanishedPeers,
    peerTimeoutMs: serving.tcpUserTimeout,
    silenceMs: serving.gatewaySilenceTimeout,
    onCut: observation.outgoingCut,
  });
  const handedOn = new HandedStreams({ connections, limits: settings.api.deps.limits });
  const proxy = proxyOf(settings, handedOn);
  const metrics = new RequestMetrics(observation.metrics);
  const listeners = await openListeners({
    listener: listenerOf(settings, watches, metrics, proxy, handedOn, publicAddress),
    takesUpgrade: (req) => aggregator?.takesUpgrade(req) === true || isConnecting(req),
    credentials: credentials.current,
    tls: tlsSettings(serving.tlsMinVersion, serving.tlsCipherSuites),
    bindAddress: serving.bindAddress,
    securePort: serving.securePort,
    insecurePort: serving.insecurePort,
    limits: connectionLimits(serving),
    onRefused: (limit) => metrics.refused(limit),
    http2MaxStreams: serving.http2MaxStreamsPerConnection,
    watchBufferBytes: serving.watchBufferBytes,
    vanishedPeers,
  });
  return { listeners, handedOn };
}

function listenerOf(
  settings: ServeSettings,
  watches: OpenWatches,
  requestMetrics: RequestMetrics,
  proxy: WatchProxy | undefined,
  streams: HandedStreams,
  publicAddress: () => string,
) {
  const { api, serving, features, health, observation, credentials, access, aggregated, logger, metricsPage, auditor } =
    settings;
  const { fairness } = settings;
  const { aggregator } = aggregated;
  const { metrics, tracing } = observation;
  const { scheme, names } = api.deps;
  const remote = () => aggregated.documents;
  const discovery = createDiscoveryRoutes(api.served, { scheme, names, features, release: VERSION.gitVersion, remote });
  const { issuers, verification: keys } = settings.serviceAccountKeys;
  const keysUri = () => serving.serviceAccountJwksUri ?? `${publicAddress()}${KEYS_PATH}`;
  const issuer = createIssuerRoutes({ issuers, keys, keysUri });
  const slowClients = new SlowClients(slowClientLimits(serving), systemClock);
  observeSlowClients(metrics, slowClients);
  const verbs = verbsOf(settings, streams);
  return createListener({
    names: api.deps.names,
    representations: api.deps.representations,
    requestTimeoutMs: api.deps.limits.requestTimeoutMs,
    router: new ResourceRouter(api.served, verbs),
    verbs,
    authenticator: credentials.authenticator,
    authenticationAttempted: authenticationAttempts(metrics),
    authorizer: access.authorizer,
    flow: {
      ...{ turns: fairness.turns, bodies: bodiesOf(serving), slowClients, bodyLimits: api.deps.limits },
      bodyUse: bodyUseOf(api.served, aggregator),
    },
    watches,
    fallback: createFallbackApp({
      ...{ health, metrics: metricsPage(metrics), version: VERSION, discovery, issuer },
      pages: pagesOf(settings),
    }),
    ...(proxy && { proxyWatch: (ctx) => proxy.hand(ctx) }),
    ...(aggregator && { aggregator }),
    streams,
    metrics: requestMetrics,
    logger,
    slowRequestMs: serving.slowRequestThreshold,
    maxImpersonationValues: serving.maxImpersonationValues,
    ...(auditor && { auditor }),
    ...(tracing && { tracing }),
  });
}

/** Whether a request connects its client to a pod, a service or a node, with whatever protocol. */
function isConnecting(req: IncomingMessage): boolean {
  const info = requestInfoOf(req);
  return info !== undefined && connectsTo(info);
}

/** Returns the handlers of all verbs, with the connections to nodes. */
function verbsOf({ api, serving, credentials }: ServeSettings, streams: HandedStreams): Verbs {
  const agents = () => credentials.current.agents;
  return verbsWith(api.deps, new NodeConnections({ options: serving, credentials: agents, streams }));
}

const bodiesOf = ({ maxWaitingBodyBytes: inAll, maxWaitingBodyBytesPerUser: perUser }: ServingOptions) =>
  new SharedBound({ inAll, perUser });

/** How admission webhooks are, beside the pages of flow control. */
const WEBHOOKS_PAGE = '/debug/api/webhooks';

const pagesOf = ({ fairness, webhooks }: ServeSettings) =>
  new Map([
    ...(fairness.pages ?? []),
    [WEBHOOKS_PAGE, () => `${JSON.stringify({ webhooks: webhooks() }, undefined, 2)}\n`],
  ]);

function urlOf({ bindAddress, publicUrl }: ServingOptions, port: number): string {
  const host = bindAddress === '0.0.0.0' || bindAddress === '::' ? '127.0.0.1' : bindAddress;
  return publicUrl ?? `https://${inUrl(host)}:${port}`;
}

/** Returns the address at which other servers reach this one, as far as options say or a network interface shows. */
export function publicAddressOf(
  {
    publicUrl,
    advertiseHost: [host],
    advertiseAddress,
    bindAddress,
  }: Pick<ServingOptions, 'publicUrl' | 'advertiseHost' | 'advertiseAddress' | 'bindAddress'>,
  port: number,
  url: string,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
  if (host !== undefined) return `https://${inUrl(host)}:${port}`;
  const isEverywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const address =
    isEverywhere || advertiseAddress !== undefined ? ownAddress({ advertiseAddress, bindAddress }) : undefined;
  return address === undefined ? url : `https://${inUrl(address)}:${port}`;
}

async function writeAdminKubeconfig(
  { kubeconfigOut }: ServingOptions,
  { admin, servingCa }: CredentialSet,
  url: string,
) {
  if (kubeconfigOut === undefined || !admin) return;
  const { cert, key } = admin;
  await writeKubeconfig(kubeconfigOut, { server: url, cert, key, ...(servingCa !== undefined && { ca: servingCa }) });
}
