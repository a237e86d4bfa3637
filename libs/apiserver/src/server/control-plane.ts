import { writeKubeconfig } from '@orch/client';
import { type ChangeBus, OrderedFeed } from '@orch/feed';
import { namesOf } from '@orch/machinery';
import {
  type Component,
  createLogger,
  type FeatureGates,
  featureGates,
  HealthRegistry,
  Lifecycle,
  type Logger,
  Metrics,
  shutdownCheck,
} from '@orch/runtime';
import { loadScheme, parseRuntimeConfig, type ResourceDefinition, selectServed } from '@orch/schema';
import type { PostgresStore } from '@orch/storage';
import { WatchCache } from '@orch/watchcache';
import { credentialsDecide } from '../authorization.js';
import { createDiscoveryRoutes } from '../discovery-routes.js';
import { createFallbackApp } from '../fallback-app.js';
import { createListener } from '../http/listener.js';
import { RequestMetrics } from '../http/request-metrics.js';
import { ResourceRouter, servesSubresource } from '../router.js';
import { type Api, assembleApi } from './assemble.js';
import { type Credentials, loadCredentials } from './credentials.js';
import { type Failpoint, failpoints, GATHER_LONG } from './failpoints.js';
import { type Listeners, openListeners } from './listeners.js';
import { observeWatchCache } from './observe.js';
import type { BackendOptions, ServingOptions } from './options.js';
import { VERSION } from './version.js';
import { watchProxy } from './watch-proxy.js';

/** What tells one kind of process from another. */
export interface Role {
  /** Gateways that watches are handed to; empty where they are served here. */
  readonly gatewayUrls: readonly string[];
  /** Looks after what is shared by the installation: default objects, namespaces on their way out. */
  readonly housekeeping: boolean;
}

export interface ControlPlaneSettings {
  readonly role: Role;
  readonly serving: ServingOptions;
  readonly backend: BackendOptions;
  /** Opens the state, once what it needs is running. */
  openStore(): Promise<PostgresStore>;
  /** Opens what announces changes between processes. */
  openBus(logger: Logger, clusterId: string): ChangeBus;
}

export interface ControlPlane {
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  /** Where it can be reached; once started. */
  address(): { readonly url: string; readonly kubeconfig: string | undefined };
}

/** Time over which open watches are ended at a shutdown, so that their clients don't come back all at once. */
const DRAIN_SPREAD_MS = 2_000;

/** Joins state, feed, cache and sockets to one process; nothing runs before the lifecycle is started. */
export function createControlPlane(settings: ControlPlaneSettings): ControlPlane {
  const { serving } = settings;
  const logger = createLogger({ format: serving.loggingFormat, verbosity: serving.v });
  const lifecycle = new Lifecycle({
    shutdownDelayMs: serving.shutdownDelayDuration,
    drainMs: serving.shutdownDrainDuration,
    logger,
  });
  const process = new ControlPlaneProcess(settings, logger, lifecycle);
  for (const component of process.components()) lifecycle.add(component);
  return { lifecycle, logger, address: () => process.address() };
}

class ControlPlaneProcess {
  readonly #settings: ControlPlaneSettings;
  readonly #logger: Logger;
  readonly #health: HealthRegistry;
  readonly #metrics = new Metrics().withProcessMetrics();
  readonly #features: FeatureGates;
  readonly #failpoints: ReadonlySet<Failpoint>;
  readonly #lifecycle: Lifecycle;
  #store: PostgresStore | undefined;
  #bus: ChangeBus | undefined;
  #feed: OrderedFeed | undefined;
  #cache: WatchCache | undefined;
  #api: Api | undefined;
  #listeners: Listeners | undefined;
  #url = '';

  constructor(settings: ControlPlaneSettings, logger: Logger, lifecycle: Lifecycle) {
    this.#settings = settings;
    this.#logger = logger;
    this.#lifecycle = lifecycle;
    this.#health = new HealthRegistry({ logger });
    this.#features = featureGates(settings.serving.featureGates);
    for (const warning of this.#features.warnings) logger.warn(warning);
    this.#failpoints = failpoints(settings.backend.failpoints);
    for (const name of this.#failpoints)
      logger.warn('RUNNING WITH A DELIBERATE DEFECT: never do this with data of worth', { name });
  }

  components(): Component[] {
    return [
      { name: 'store', start: () => this.#openStore(), stop: async () => this.#store?.close() },
      { name: 'feed', start: async () => this.#openFeed(), stop: async () => this.#closeFeed() },
      { name: 'api', start: () => this.#assemble(), stop: async () => this.#api?.terminator.stop() },
      { name: 'listeners', start: () => this.#listen(), stop: () => this.#closeListeners() },
    ];
  }

  address(): { url: string; kubeconfig: string | undefined } {
    return { url: this.#url, kubeconfig: this.#settings.serving.kubeconfigOut };
  }

  async #openStore(): Promise<void> {
    const store = await this.#settings.openStore();
    this.#store = store;
    store.compactor.start();
    this.#health.add({ name: 'postgres', check: () => store.ping() }, 'readyz', 'healthz');
  }

  #openFeed(): void {
    const { backend } = this.#settings;
    const store = needed(this.#store);
    const bus = this.#settings.openBus(this.#logger, store.installation.clusterId);
    const onError = (error: unknown) => this.#logger.error('change feed', error);
    const feed = new OrderedFeed({
      source: store,
      bus,
      observer: { failed: onError },
      ...(this.#failpoints.has('no-heal') && { failpoints: new Set(['no-heal'] as const) }),
    });
    store.onCommit((changes) => bus.publish(changes));
    this.#bus = bus;
    this.#feed = feed;
    this.#cache = new WatchCache({
      source: store,
      feed,
      maxBytes: backend.watchCacheBytes,
      ringMaxAge: backend.historyRetention,
      bookmarkInterval: backend.watchBookmarkInterval,
      ...(this.#failpoints.has('bookmark-before-flush') && {
        ...GATHER_LONG,
        failpoints: new Set(['bookmark-before-flush'] as const),
      }),
      onError,
    });
    this.#health.add({ name: 'feed', check: () => checkLag(feed.lag()) }, 'readyz');
    this.#health.add(shutdownCheck(this.#lifecycle.stopping), 'readyz');
    this.#health.add({ name: 'bootstrap', check: () => checkBootstrapped(this.#url) }, 'readyz');
    observeWatchCache(this.#metrics, this.#cache);
  }

  async #closeFeed(): Promise<void> {
    this.#cache?.close();
    this.#feed?.close();
    await this.#bus?.close();
  }

  async #assemble(): Promise<void> {
    const { serving, role } = this.#settings;
    const names = namesOf(serving.naming);
    const scheme = loadScheme(names);
    this.#api = await assembleApi({
      names,
      scheme,
      served: selectServed(scheme.resources, parseRuntimeConfig(serving.runtimeConfig)),
      store: needed(this.#store),
      cache: needed(this.#cache),
      limits: {
        maxBodyBytes: serving.maxRequestBytes,
        minRequestTimeoutSeconds: serving.minRequestTimeout,
        requestTimeoutMs: serving.requestTimeout,
      },
      watchList: this.#features.enabled('WatchList'),
      compress: this.#features.enabled('APIResponseCompression'),
      serviceCidr: serving.serviceClusterIpRange,
      nodePorts: portsOf(serving.serviceNodePortRange),
      onError: (error) => this.#logger.error('namespace deletion', error),
    });
    if (role.housekeeping) this.#api.terminator.start();
  }

  async #listen(): Promise<void> {
    const { serving, role } = this.#settings;
    const api = needed(this.#api);
    const credentials = await loadCredentials(serving, api.deps.names);
    const served = api.endpoints.map(({ definition }) => discoverable(definition));
    const discovery = createDiscoveryRoutes(
      { scheme: api.deps.scheme, served, release: VERSION.gitVersion },
      api.deps.names,
    );
    const listener = createListener({
      deps: api.deps,
      router: new ResourceRouter(api.endpoints),
      authenticator: credentials.authenticator,
      authorizer: credentialsDecide,
      fallback: createFallbackApp({ health: this.#health, metrics: this.#metrics, version: VERSION, discovery }),
      ...(role.gatewayUrls.length > 0 && { proxyWatch: watchProxy(role.gatewayUrls, credentials) }),
      metrics: new RequestMetrics(this.#metrics),
      logger: this.#logger,
    });
    this.#listeners = await openListeners({
      listener,
      pki: credentials.pki,
      clientCa: credentials.clientCa,
      bindAddress: serving.bindAddress,
      securePort: serving.securePort,
      insecurePort: serving.insecurePort,
    });
    if (role.housekeeping) await api.bootstrap(this.#listeners.securePort);
    await this.#announce(credentials, this.#listeners.securePort);
  }

  async #announce({ pki }: Credentials, port: number): Promise<void> {
    const { serving } = this.#settings;
    const host = serving.bindAddress === '0.0.0.0' || serving.bindAddress === '::' ? '127.0.0.1' : serving.bindAddress;
    const url = serving.publicUrl ?? `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    if (serving.kubeconfigOut !== undefined)
      await writeKubeconfig(serving.kubeconfigOut, {
        server: url,
        ca: pki.ca.cert,
        cert: pki.admin.cert,
        key: pki.admin.key,
      });
    this.#url = url;
  }

  async #closeListeners(): Promise<void> {
    const closed = this.#listeners?.close();
    await this.#cache?.drain(DRAIN_SPREAD_MS);
    await closed;
  }
}

/** A feed that has not been confirmed for so long may be missing changes. */
const MAX_LAG_MS = 5_000;

function checkLag(ms: number): void {
  if (ms > MAX_LAG_MS) throw new Error(`the change feed was last confirmed ${Math.round(ms)} ms ago`);
}

/** The sockets are open before what clients take for granted (the namespace `default`, the kubeconfig) is there. */
function checkBootstrapped(url: string): void {
  if (url === '') throw new Error('the process is still starting');
}

/** Discovery promises only what is carried out. */
function discoverable(definition: ResourceDefinition): ResourceDefinition {
  return { ...definition, subresources: definition.subresources.filter(({ name }) => servesSubresource(name)) };
}

function portsOf(range: string): { from: number; to: number } {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(range);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || from > to || to > 65535)
    throw new RangeError(`--service-node-port-range: not a range of ports: ${range}`);
  return { from, to };
}

function needed<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('a part of the process was used before it was started');
  return part;
}
