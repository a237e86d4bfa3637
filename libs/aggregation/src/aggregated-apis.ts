import type { ControllerGroup } from '@orch/controllers';
import type { ReloadableCredentials } from '@orch/credentials';
import { NO_REMOTE_DOCUMENTS, type RemoteDocuments } from '@orch/discovery';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { StoreInformer } from '@orch/informers';
import type { Endpoint } from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import type { ResourceDescription } from '@orch/schema';
import type { Row, ServingStore } from '@orch/storage';
import { observeRegistrations } from './aggregation-metrics.js';
import type { AggregationOptions } from './aggregation-options.js';
import { Aggregator } from './aggregator.js';
import type { RequestHeaderOptions } from './authentication-config.js';
import { AuthenticationConfig } from './authentication-config.js';
import { AvailabilityChecks } from './availability-checks.js';
import { Backings } from './backings.js';
import { Extensions } from './extensions.js';
import { localRegistrations } from './local-registrations.js';
import { type Registration, readRegistration } from './registration.js';
import { RegistrationController, type RegistrationControllerOptions } from './registration-controller.js';
import { RegistrationWriter } from './registration-writer.js';
import { RemoteDiscovery } from './remote-discovery.js';
import { RemoteRegistrations } from './remote-registrations.js';

interface AggregatedApisSettings {
  readonly deps: ApiDeps;
  readonly store: ServingStore;
  readonly feed: OrderedFeed;
  readonly serving: AggregationOptions &
    RequestHeaderOptions & { readonly requestTimeout: number; readonly streamIdleTimeout: number };
  readonly credentials: ReloadableCredentials;
  /** Whether there are definitions that cannot be read here, of kinds that others may serve. */
  readonly isPartial: () => boolean;
  /** Whether this process may run the controller of registrations; one process at a time runs it. */
  readonly decides: boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Has other servers answer for the group-versions that are registered for them, where registrations are served at all.
 */
export class AggregatedApis {
  readonly #parts: Parts | undefined;

  constructor(settings: AggregatedApisSettings) {
    this.#parts = partsOf(settings);
  }

  /** Passes requests on; undefined where nothing can be registered. */
  get aggregator(): Aggregator | undefined {
    return this.#parts?.aggregator;
  }

  /** Authorities of the servers that answer. */
  get trusted(): { certificate: string; file: string; pem: string }[] {
    return [...(this.#parts?.informer.objects.values() ?? [])].flatMap(({ name, caBundle: pem }) =>
      pem === undefined ? [] : [{ certificate: 'ca-bundle', file: `apiservices/${name}`, pem }],
    );
  }

  /** Controller of registrations, where this process may run it. */
  get controllers(): ControllerGroup | undefined {
    return this.#parts?.controller;
  }

  /** Discovery and OpenAPI documents of other servers, as last fetched. */
  get documents(): RemoteDocuments {
    return this.#parts?.discovery.documents ?? NO_REMOTE_DOCUMENTS;
  }

  /** Resolves when all registrations are known: only then requests may be answered. */
  async start(): Promise<void> {
    await this.#parts?.informer.start();
  }

  /** Publishes which client certificates other servers should trust. */
  publishTrust(): void {
    this.#parts?.config?.publish();
  }

  /** To be called when no more requests are answered. */
  async stop(): Promise<void> {
    await this.#parts?.config?.stop();
    this.#parts?.discovery.stop();
    void this.#parts?.informer.stop();
    await this.#parts?.backings.stop();
    this.#parts?.extensions.close();
  }
}

interface Parts {
  readonly informer: StoreInformer<Registration>;
  readonly backings: Backings;
  readonly extensions: Extensions;
  readonly discovery: RemoteDiscovery;
  readonly aggregator: Aggregator;
  readonly controller: RegistrationController | undefined;
  readonly config: AuthenticationConfig | undefined;
}

/** Endpoints of the kinds that aggregation reads. */
interface Known {
  readonly registrations: Endpoint;
  readonly services: Endpoint;
  readonly endpoints: Endpoint;
}

function partsOf(settings: AggregatedApisSettings): Parts | undefined {
  const known = knownOf(settings.deps);
  if (!known) return undefined;
  const { deps, store, feed, serving, credentials, metrics, logger } = settings;
  const { names, reader } = deps;
  const onError = (error: unknown) => logger.error('aggregation', error);
  const read = (row: Row) => readRegistration(row, known.registrations, names);
  const informer = new StoreInformer({ source: store, feed, type: known.registrations.type, onError, read });
  const onChange = () => {
    controller?.askOfServices();
    discovery.follow(remote);
  };
  const backings = new Backings({ ...known, store, feed, reader, onError, onChange });
  const extensions = new Extensions({
    backingOf: (service) => backings.of(service),
    routesToEndpoints: serving.enableAggregatorRouting,
    credentials: () => credentials.current.proxy,
  });
  const discovery = new RemoteDiscovery({
    ...{ extensions, names, maxBytes: serving.maxExtensionDocumentBytes },
    onProblem: (server, problem) =>
      logger.v(2)?.info('documents of another server', { server, problem: String(problem) }),
  });
  let remote = new RemoteRegistrations([], names);
  informer.onChange(() => {
    remote = new RemoteRegistrations(informer.objects.values(), names);
    backings.want([...remote].map(({ service }) => service));
    extensions.keep(remote);
    discovery.follow(remote);
  });
  const aggregator = new Aggregator({
    registrations: () => remote,
    extensions,
    maxRequests: serving.maxRequestsPerExtension,
    ...{ streamStartMs: serving.requestTimeout, unreadMs: serving.streamIdleTimeout },
  });
  const onUnavailable = observeRegistrations(metrics, () => informer.objects.values());
  const controller = settings.decides
    ? controllerOf(settings, { known, informer, backings, extensions, onUnavailable })
    : undefined;
  const config = configOf(settings, onError);
  return { informer, backings, extensions, discovery, aggregator, controller, config };
}

interface Deciding extends Pick<Parts, 'informer' | 'backings' | 'extensions'> {
  readonly known: Known;
  readonly onUnavailable: RegistrationControllerOptions['onUnavailable'];
}

function controllerOf({ deps, isPartial }: AggregatedApisSettings, deciding: Deciding): RegistrationController {
  const { known, informer, backings, extensions, onUnavailable } = deciding;
  const { names, pipeline, remover, scheme, now } = deps;
  const checks = new AvailabilityChecks({ backings, extensions, onAnswer: (name) => controller.ask(name) });
  const isDeclared = ({ group, version, resource }: ResourceDescription) =>
    scheme.resource(group, version, resource) !== undefined;
  const localOf = localRegistrations(names, isDeclared);
  const controller = new RegistrationController({
    informer,
    checks,
    writer: new RegistrationWriter({ pipeline, remover, endpoint: known.registrations, names, now }),
    local: () => localOf(deps.served.current),
    onServed: (listener) => deps.served.onChange(listener),
    isPartial,
    onUnavailable,
  });
  return controller;
}

function configOf({ deps, credentials, serving }: AggregatedApisSettings, onError: (error: unknown) => void) {
  const { reader, pipeline, now } = deps;
  const endpoint = deps.served.current.types.find(isResource('', 'configmaps'));
  if (!endpoint) return undefined;
  const trust = () => ({ ...credentials.current, requestHeaders: serving });
  const config = new AuthenticationConfig({ reader, pipeline, endpoint, trust, now, onError });
  credentials.onTaken(() => config.publish());
  return config;
}

/** Undefined where nothing can be registered. */
function knownOf({ names, served }: ApiDeps): Known | undefined {
  const { types } = served.current;
  const registrations = types.find(isResource(names.group('apiregistration.orch.io'), 'apiservices'));
  const services = types.find(isResource('', 'services'));
  const endpoints = types.find(isResource('', 'endpoints'));
  return registrations && services && endpoints && { registrations, services, endpoints };
}

const isResource =
  (group: string, resource: string) =>
  ({ definition }: Endpoint): boolean =>
    definition.group === group && definition.resource === resource;
