import { setFlagsFromString } from 'node:v8';
import type { FollowedObjects } from '@orch/admission';
import { EVENT_MIGRATIONS, EVENT_SCHEMA } from '@orch/audit';
import type { Encryption } from '@orch/encryption';
import type { ChangeBus } from '@orch/feed';
import { type KindSettings, nodePortRange } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import {
  type Component,
  createLogger,
  type FeatureGates,
  IdleCollector,
  Lifecycle,
  type Logger,
  resolveFeatures,
} from '@orch/runtime';
import { FEATURES, type FeatureName, loadScheme, type ResourceDefinition, type Scheme } from '@orch/schema';
import type { SealedStore, ServingStore, SideSchema, StoreObserver } from '@orch/storage';
import type { RedisRates, RedisVerdicts } from '@orch/webhooks';
import { AccessControl } from '../access/access-control.js';
import { checkAuthorization } from '../access/authorization-options.js';
import { AdmissionControl, checkAdmission } from '../admission/admission-control.js';
import { pluginSurroundings } from '../admission/plugin-surroundings.js';
import type { MetricsText } from '../chain/fallback-app.js';
import { ApiTokens } from '../credentials/api-tokens.js';
import { Credentials } from '../credentials/credentials.js';
import { RemoteTokens } from '../credentials/remote-tokens.js';
import { readServiceAccountKeys, type ServiceAccountKeys } from '../credentials/service-account-keys.js';
import { openSharedRates, openSharedVerdicts } from '../credentials/shared-verdicts.js';
import { YamlReader } from '../decoding/yaml-reader.js';
import { NO_REMOTE_DOCUMENTS } from '../documents/remote-documents.js';
import { Fairness } from '../fairness/fairness.js';
import { admissionMetrics } from '../metrics/admission-metrics.js';
import { tokenCache } from '../metrics/authentication-metrics.js';
import { Observation } from '../metrics/observation.js';
import { observeListCache, observeWatchOutputs } from '../metrics/server-observers.js';
import { serviceAccountTokenUses } from '../metrics/service-account-metrics.js';
import { observePools } from '../metrics/store-observer.js';
import type { PolicyChecker } from '../policies/policy-checker.js';
import type { QuotaCounter } from '../quota/quota-counter.js';
import type { AdmissionWebhooks } from '../webhooks/admission-webhooks.js';
import { AggregatedApis } from './aggregated-apis.js';
import { type Api, assembleApi } from './assemble.js';
import { type Audit, openAudit } from './audit.js';
import { CertificateRequests } from './certificate-requests.js';
import type { BusSettings } from './change-bus.js';
import { type ChangeFeed, openChangeFeed } from './change-feed.js';
import { CustomResources } from './custom-resources.js';
import { encrypted, openEncryption } from './encryption.js';
import { type ComponentSettings, componentChecks, healthChecks } from './health-checks.js';
import { Housekeeping } from './housekeeping.js';
import { fairnessLimits } from './limit-options.js';
import { natsSettings } from './nats-options.js';
import type { BackendOptions, ServingOptions } from './options.js';
import { followPolicies, policyChecker } from './policy-checks.js';
import { quotaCounter } from './quota-counts.js';
import { type Served, serve } from './serve.js';
import { servedSelection } from './served-selection.js';
import { type FollowedByStanding, followForStanding, NamespaceKeeper } from './standing-objects.js';
import { VERSION } from './version.js';
import { admissionWebhooks, Webhooks, webhookSettings } from './webhooks.js';

/** What tells one kind of process from another. */
export interface Role {
  /** What the process is called in traces. */
  readonly name: string;
  /** Gateways that watches are handed to; empty where they are served here. */
  readonly gatewayUrls: readonly string[];
  /** Looks after what is shared by the installation: default objects, namespaces on their way out. */
  readonly housekeeping: boolean;
}

/** Of what a process of the control plane is made. */
export interface ControlPlaneSettings {
  /** What it does beside serving the API. */
  readonly role: Role;
  /** Addresses, credentials, limits and features: values of {@link servingOptions}. */
  readonly serving: ServingOptions;
  /** Where the database and the bus are: values of {@link backendOptions}. */
  readonly backend: BackendOptions;
  /** Opens the state, once what it needs is running. */
  openStore(observer: StoreObserver): Promise<ServingStore>;
  /** Opens what announces changes between processes. */
  openBus(settings: BusSettings): ChangeBus;
  /** What is answered for the metrics of this process. Default: themselves. */
  readonly metricsPage?: (own: MetricsText) => MetricsText;
}

export interface ControlPlane {
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  /** Where it can be reached; once started. */
  address(): { readonly url: string; readonly kubeconfig: string | undefined };
}

/** Share of the time for finishing that the ends of watches may be spread over. */
const DRAIN_SHARE = 0.5;

/** Joins state, feed, cache and sockets to one process; nothing runs before the lifecycle is started. */
export function createControlPlane(settings: ControlPlaneSettings): ControlPlane {
  const { serving } = settings;
  // By itself V8 allows a heap of this size so little that buffers alone use it up: a full collection a second.
  setFlagsFromString(`--heap-growing-percent=${serving.heapGrowth}`);
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
  readonly #features: FeatureGates<FeatureName>;
  readonly #lifecycle: Lifecycle;
  #observation: Observation | undefined;
  #encryption: Encryption | undefined;
  #store: SealedStore | undefined;
  #changes: ChangeFeed | undefined;
  #api: Api | undefined;
  #admission: AdmissionControl | undefined;
  #admissionWebhooks: AdmissionWebhooks | undefined;
  #customResources: CustomResources | undefined;
  #webhooks: Webhooks | undefined;
  #access: AccessControl | undefined;
  #fairness: Fairness | undefined;
  #serviceAccountKeys: ServiceAccountKeys | undefined;
  #tokens: ApiTokens | undefined;
  #remoteTokens: RemoteTokens | undefined;
  #sharedVerdicts: RedisVerdicts | undefined;
  #sharedRates: RedisRates | undefined;
  #credentials: Credentials | undefined;
  #aggregated: AggregatedApis | undefined;
  #audit: Audit | undefined;
  #certificateRequests: CertificateRequests | undefined;
  #quotaCounter: QuotaCounter | undefined;
  #housekeeping: Housekeeping | undefined;
  #followed: FollowedByStanding | undefined;
  #policies: FollowedObjects | undefined;
  #policyChecker: PolicyChecker | undefined;
  #namespaceKeeper: NamespaceKeeper | undefined;
  #served: Served | undefined;
  #bootstrapped = false;

  constructor(settings: ControlPlaneSettings, logger: Logger, lifecycle: Lifecycle) {
    this.#settings = settings;
    this.#logger = logger;
    this.#lifecycle = lifecycle;
    this.#features = resolveFeatures(FEATURES, settings.serving.featureGates);
    for (const warning of this.#features.warnings) logger.warn(warning);
  }

  components(): Component[] {
    return [
      { name: 'observation', start: () => this.#observe(), stop: async () => this.#observation?.close() },
      { name: 'store', start: () => this.#openStore(), stop: () => this.#closeStore() },
      { name: 'feed', start: async () => this.#openFeed(), stop: async () => this.#changes?.close() },
      { name: 'api', start: () => this.#assemble(), stop: async () => this.#api?.deps.yaml.close() },
      { name: 'admission', start: () => this.#startAdmission(), stop: () => this.#stopAdmission() },
      { name: 'quotas', start: () => this.#followQuotas(), stop: async () => this.#api?.quotas.stop() },
      {
        name: 'custom-resources',
        start: () => this.#serveCustom(),
        stop: () => this.#stopCustom(),
      },
      { name: 'shared-verdicts', start: () => this.#shareVerdicts(), stop: async () => this.#sharedVerdicts?.close() },
      { name: 'access', start: () => this.#controlAccess(), stop: async () => this.#access?.stop() },
      { name: 'fairness', start: () => this.#beFair(), stop: async () => this.#fairness?.stop() },
      { name: 'credentials', start: () => this.#openCredentials(), stop: () => this.#closeCredentials() },
      { name: 'audit', start: () => this.#openAudit(), stop: async () => this.#audit?.close() },
      { name: 'aggregated-apis', start: () => this.#aggregate(), stop: async () => this.#aggregated?.stop() },
      {
        name: 'certificate-requests',
        start: async () => this.#signRequests(),
        stop: async () => this.#certificateRequests?.stop(),
      },
      {
        name: 'quota-counts',
        start: async () => this.#countQuotas(),
        stop: async () => this.#quotaCounter?.stop(),
      },
      {
        name: 'housekeeping',
        start: async () => this.#keepHouse(),
        stop: async () => this.#housekeeping?.stop(),
      },
      {
        name: 'namespace-keeper',
        start: () => this.#keepNamespaces(),
        stop: async () => this.#namespaceKeeper?.stop(),
      },
      {
        name: 'policy-checks',
        start: async () => this.#checkPolicies(),
        stop: async () => this.#policyChecker?.stop(),
      },
      { name: 'listeners', start: () => this.#listen(), stop: () => this.#closeListeners() },
      this.#idleCollector(),
    ];
  }

  #idleCollector(): Component {
    const collector = new IdleCollector({ quietMs: this.#settings.serving.collectWhenQuiet });
    return { name: 'idle-collector', start: async () => collector.start(), stop: async () => collector.stop() };
  }

  address(): { url: string; kubeconfig: string | undefined } {
    return { url: this.#served?.url ?? '', kubeconfig: this.#settings.serving.kubeconfigOut };
  }

  async #observe(): Promise<void> {
    const { role, serving } = this.#settings;
    this.#observation = await Observation.open({
      serviceName: `orch-${role.name}`,
      version: VERSION,
      tracingConfigFile: serving.tracingConfigFile,
      showHiddenMetrics: serving.showHiddenMetricsForVersion !== '',
      logger: this.#logger,
    });
  }

  async #openStore(): Promise<void> {
    // Refused before anything is waited for.
    const { backend, serving } = this.#settings;
    natsSettings(backend);
    checkAuthorization(serving);
    checkAdmission(serving);
    this.#serviceAccountKeys = await readServiceAccountKeys(serving, namesOf(serving.naming));
    for (const warning of this.#serviceAccountKeys.warnings) this.#logger.warn(warning);
    const { store: observer, metrics } = needed(this.#observation);
    const logger = this.#logger;
    this.#encryption = await openEncryption({ serving, backend, metrics, logger });
    this.#store = encrypted(await this.#settings.openStore(observer), this.#encryption, logger);
    if (this.#settings.role.housekeeping) await this.#store.notePlaced();
    observePools(metrics, this.#store);
    for (const compactor of this.#store.compactors) compactor.start();
  }

  async #closeStore(): Promise<void> {
    this.#encryption?.close();
    await this.#store?.close();
  }

  #openFeed(): void {
    this.#changes = openChangeFeed({
      backend: this.#settings.backend,
      store: needed(this.#store),
      observation: needed(this.#observation),
      logger: this.#logger,
      openBus: this.#settings.openBus,
      makesStream: this.#settings.role.housekeeping,
    });
  }

  async #assemble(): Promise<void> {
    const { role, serving, backend } = this.#settings;
    const names = namesOf(serving.naming);
    const scheme = loadScheme(names);
    const store = needed(this.#store);
    const observer = admissionMetrics(needed(this.#observation).metrics);
    this.#sharedRates = await openSharedRates(serving, this.#logger);
    const surroundings = pluginSurroundings({
      metrics: needed(this.#observation).metrics,
      sharedRates: this.#sharedRates,
      deps: () => needed(this.#api).deps,
      remote: () => this.#aggregated?.documents ?? NO_REMOTE_DOCUMENTS,
    });
    const isEnabled = (feature: FeatureName) => this.#features.enabled(feature);
    const calls = admissionWebhooks(serving, needed(this.#observation).metrics);
    this.#admissionWebhooks = calls;
    const webhooks = (configuration: unknown) => calls.for(configuration);
    this.#admission = await AdmissionControl.open({
      ...{ names, isEnabled, webhooks, observer, surroundings, logger: this.#logger },
      policies: calls.forPolicies(),
      options: serving,
    });
    if (role.housekeeping) this.#followed = followForStanding(this.#admission);
    if (role.housekeeping) this.#policies = followPolicies(this.#admission, isEnabled);
    const api = await assembleApi({
      names,
      scheme,
      served: this.#selected(scheme),
      storageVersions: serving.storageVersions,
      kinds: this.#kindSettings(),
      store,
      isOutdated: (type, key) => store.isOutdated(type, key),
      cache: needed(this.#changes).cache,
      plugins: this.#admission.plugins,
      onAdmission: observer.step,
      limits: {
        maxBodyBytes: serving.maxRequestBytes,
        bodyTimeoutMs: serving.requestBodyTimeout,
        maxValues: serving.maxRequestValues,
        maxOwnedValues: serving.maxOwnedValues,
        minRequestTimeoutSeconds: serving.minRequestTimeout,
        maxWatchAgeMs: serving.maxWatchAge,
        requestTimeoutMs: serving.requestTimeout,
        watchBufferBytes: serving.watchBufferBytes,
      },
      yaml: new YamlReader(),
      tokenIssuer: needed(this.#serviceAccountKeys).issuer,
      lists: { concurrent: backend.databaseLists, maxCachedBytes: backend.listLoadBytes },
      components: Object.values(componentChecks(this.#parts())),
      listCacheBytes: backend.listCacheBytes,
      serviceCidr: serving.serviceClusterIpRange,
      nodePorts: nodePortRange(serving.serviceNodePortRange),
      catchUp: () => needed(this.#customResources).catchUp(),
      onError: (error) => this.#logger.error('namespace deletion', error),
    });
    this.#api = api;
    const { metrics, names: resourceNames } = needed(this.#observation);
    resourceNames.follow(api.served);
    observeListCache(metrics, api.listCache);
    observeWatchOutputs(metrics, api.deps.watchOutputs);
  }

  /** Before anything is written: what plugins look up is known then. */
  async #startAdmission(): Promise<void> {
    const { serving } = this.#settings;
    const api = needed(this.#api);
    const { served, scheme, limits, names } = api.deps;
    const parts = { served, scheme, maxValues: limits.maxValues + limits.maxOwnedValues };
    await needed(this.#admissionWebhooks).start(parts, { ...webhookSettings(api, serving), names });
    await needed(this.#admission).start({
      deps: needed(this.#api).deps,
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      onError: (error) => this.#logger.error('admission', error),
    });
  }

  /** Before anything is written, which is charged to them. */
  async #followQuotas(): Promise<void> {
    const onError = (error: unknown) => this.#logger.error('quotas', error);
    const [store, { feed }] = [needed(this.#store), needed(this.#changes)];
    await needed(this.#api).quotas.start({ store, feed, onError });
  }

  /** Once all kinds are served: their objects are counted. */
  #countQuotas(): void {
    const { role, backend } = this.#settings;
    if (!role.housekeeping) return;
    const catchUp = () => needed(this.#customResources).catchUp();
    const [api, store, { metrics }] = [needed(this.#api), needed(this.#store), needed(this.#observation)];
    this.#quotaCounter = quotaCounter({ api, store, backend, metrics, catchUp, logger: this.#logger });
    this.#quotaCounter.start();
  }

  /** Once all kinds are served: expressions are checked against them. */
  #checkPolicies(): void {
    const policies = this.#policies;
    if (!policies) return;
    const [api, store] = [needed(this.#api), needed(this.#store)];
    const catchUp = () => needed(this.#customResources).catchUp();
    this.#policyChecker = policyChecker({ api, store, policies, catchUp, logger: this.#logger });
    this.#policyChecker.start();
  }

  async #stopAdmission(): Promise<void> {
    await this.#admission?.stop();
    this.#sharedRates?.close();
    await this.#admissionWebhooks?.close();
  }

  /** Once all kinds are served: namespaces are emptied of them. */
  #keepHouse(): void {
    const { role, backend } = this.#settings;
    if (!role.housekeeping) return;
    const { metrics } = needed(this.#observation);
    const [api, store] = [needed(this.#api), needed(this.#store)];
    this.#housekeeping = new Housekeeping({ api, store, backend, logger: this.#logger, metrics });
    this.#housekeeping.start();
  }

  async #keepNamespaces(): Promise<void> {
    const followed = this.#followed;
    if (!followed) return;
    this.#namespaceKeeper = new NamespaceKeeper({
      followed,
      api: needed(this.#api),
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      options: this.#settings.serving,
      logger: this.#logger,
    });
    await this.#namespaceKeeper.start();
  }

  #signRequests(): void {
    const { role, serving } = this.#settings;
    if (!role.housekeeping) return;
    this.#certificateRequests = new CertificateRequests({
      api: needed(this.#api),
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      credentials: needed(this.#credentials),
      authorizer: needed(this.#access).authorizer,
      longest: serving.clusterSigningDuration,
      metrics: needed(this.#observation).metrics,
      logger: this.#logger,
    });
    this.#certificateRequests.start();
  }

  #kindSettings(): KindSettings {
    const { allowPrivileged } = this.#settings.serving;
    return { features: this.#features, allowPrivileged, customKinds: true };
  }

  async #serveCustom(): Promise<void> {
    const api = needed(this.#api);
    const { serving } = this.#settings;
    this.#webhooks = new Webhooks({
      api,
      serving,
      metrics: needed(this.#observation).metrics,
      logger: this.#logger,
      // One that this process made for itself would say nothing to anybody.
      shown: () => (serving.proxyClientCertFile === undefined ? undefined : this.#credentials?.current.proxy),
    });
    this.#customResources = new CustomResources({
      api,
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      kinds: this.#kindSettings(),
      decides: this.#settings.role.housekeeping,
      migrationRate: this.#settings.backend.storageMigrationRate,
      metrics: needed(this.#observation).metrics,
      conversions: this.#webhooks.conversions,
      logger: this.#logger,
    });
    await this.#customResources.start();
  }

  async #stopCustom(): Promise<void> {
    await this.#customResources?.stop();
    await this.#webhooks?.close();
  }

  async #shareVerdicts(): Promise<void> {
    this.#sharedVerdicts = await openSharedVerdicts(this.#settings.serving, this.#logger);
  }

  async #controlAccess(): Promise<void> {
    this.#access = new AccessControl({
      api: needed(this.#api),
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      options: this.#settings.serving,
      features: this.#features,
      shared: this.#sharedVerdicts,
      decides: this.#settings.role.housekeeping,
      logger: this.#logger,
    });
    await this.#access.start();
  }

  async #beFair(): Promise<void> {
    this.#fairness = new Fairness({
      api: needed(this.#api),
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      limits: fairnessLimits(this.#settings.serving, this.#features),
      features: this.#features,
      decides: this.#settings.role.housekeeping,
      metrics: needed(this.#observation).metrics,
      logger: this.#logger,
    });
    await this.#fairness.start();
  }

  async #openCredentials(): Promise<void> {
    const { serving } = this.#settings;
    const names = namesOf(serving.naming);
    const logger = this.#logger;
    const { metrics, certificateAccepted } = needed(this.#observation);
    const { deps } = needed(this.#api);
    const keys = needed(this.#serviceAccountKeys);
    const known = [...deps.served.current.types, ...deps.unserved];
    this.#tokens = new ApiTokens({
      ...{ options: serving, names, keys, logger, store: deps.store, reader: deps.reader },
      feed: needed(this.#changes).feed,
      endpointOf: (resource) => known.find(({ definition: d }) => d.group === '' && d.resource === resource),
      onUse: serviceAccountTokenUses(metrics),
    });
    this.#remoteTokens = await RemoteTokens.open({
      ...{ options: serving, names, logger, audiences: keys.audiences },
      shared: this.#sharedVerdicts,
      observer: tokenCache(metrics),
    });
    this.#credentials = await Credentials.open({
      ...{ options: serving, names, logger, certificateAccepted },
      audiences: keys.audiences,
      // Who must be asked elsewhere comes last.
      tokenVerifiers: [...this.#tokens.verifiers, ...this.#remoteTokens.verifiers],
    });
  }

  async #closeCredentials(): Promise<void> {
    this.#credentials?.close();
    this.#tokens?.stop();
    await this.#remoteTokens?.close();
  }

  async #openAudit(): Promise<void> {
    this.#audit = await openAudit({
      options: this.#settings.serving,
      database: () => this.#openEvents(),
      dropsOldEvents: this.#settings.role.housekeeping,
      scheme: needed(this.#api).deps.scheme,
      metrics: needed(this.#observation).metrics,
      logger: this.#logger,
    });
  }

  async #openEvents(): Promise<SideSchema> {
    const events = needed(this.#store).besideSchema(EVENT_SCHEMA, EVENT_MIGRATIONS);
    try {
      await events.open();
      return events;
    } catch (error) {
      await events.close();
      throw error;
    }
  }

  async #aggregate(): Promise<void> {
    this.#aggregated = new AggregatedApis({
      api: needed(this.#api),
      store: needed(this.#store),
      feed: needed(this.#changes).feed,
      serving: this.#settings.serving,
      credentials: needed(this.#credentials),
      decides: this.#settings.role.housekeeping,
      metrics: needed(this.#observation).metrics,
      logger: this.#logger,
    });
    await this.#aggregated.start();
  }

  #selected(scheme: Scheme): readonly ResourceDefinition[] {
    const { runtimeConfig } = this.#settings.serving;
    const { resources, warnings } = servedSelection(scheme, runtimeConfig, this.#features);
    for (const warning of warnings) this.#logger.warn(`--runtime-config: ${warning}`);
    return resources;
  }

  async #listen(): Promise<void> {
    const { serving, role, metricsPage = (own) => own } = this.#settings;
    const api = needed(this.#api);
    const health = healthChecks({
      logger: this.#logger,
      stopping: this.#lifecycle.stopping,
      livezGraceMs: serving.livezGracePeriod,
      ...this.#parts(),
      isBootstrapped: () => this.#bootstrapped,
      hasPolicy: () => needed(this.#access).isReady,
      ...(this.#encryption && { encryption: this.#encryption }),
    });
    const { gatewayUrls } = role;
    const observation = needed(this.#observation);
    const { auditor } = needed(this.#audit);
    this.#served = await serve({
      api,
      webhooks: () => this.#admissionWebhooks?.states() ?? [],
      serving,
      features: this.#features,
      health,
      observation,
      logger: this.#logger,
      gatewayUrls,
      metricsPage,
      credentials: needed(this.#credentials),
      access: needed(this.#access),
      tokens: needed(this.#tokens),
      serviceAccountKeys: needed(this.#serviceAccountKeys),
      aggregated: needed(this.#aggregated),
      fairness: needed(this.#fairness),
      ...(auditor && { auditor }),
    });
    if (role.housekeeping) await api.bootstrap(this.#served.securePort);
    needed(this.#aggregated).publishTrust();
    await this.#served.announce();
    this.#bootstrapped = true;
  }

  #parts(): ComponentSettings {
    return { pingStore: () => needed(this.#store).ping(), feedLag: () => needed(this.#changes).lag() };
  }

  async #closeListeners(): Promise<void> {
    const closed = this.#served?.close();
    const { cache } = needed(this.#changes);
    const handedOn = this.#served?.handedOn;
    const { shutdownWatchRate: rate, shutdownDrainDuration } = this.#settings.serving;
    const watches = cache.watchers + (handedOn?.size ?? 0);
    const spread = Math.min((watches / rate) * 1000, shutdownDrainDuration * DRAIN_SHARE);
    await Promise.all([handedOn?.drain(spread), cache.drain(spread), closed]);
  }
}

function needed<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('a part of the process was used before it was started');
  return part;
}
