import type { RequestListener } from 'node:http';
import type { AccessControl } from '@orch/access';
import type { FollowedObjects } from '@orch/admission';
import type { AdmissionControl, AdmissionObserver, AdmissionWebhooks, Webhooks } from '@orch/admission-host';
import type { AggregatedApis } from '@orch/aggregation';
import type { AuditLog } from '@orch/audit';
import type { ApiTokens, ReloadableCredentials, ServiceAccountKeys } from '@orch/credentials';
import type { CustomResources } from '@orch/custom-resources';
import type { Encryption } from '@orch/encryption';
import type { Fairness } from '@orch/fairness';
import type { FollowedByNamespaces } from '@orch/maintenance';
import type { Component, FeatureGates, HealthRegistry, Lifecycle, Logger } from '@orch/runtime';
import type { FeatureName } from '@orch/schema';
import type {
  Auditor,
  createListener,
  HandedStreams,
  OpenWatches,
  RequestMetrics,
  VanishedPeers,
  WatchProxy,
} from '@orch/serving';
import type { SealedStore } from '@orch/storage';
import type { RedisRates, RedisVerdicts } from '@orch/webhooks';
import type { ErrorCounts } from '../../metrics/error-counts.js';
import type { Observation } from '../../metrics/observation.js';
import type { Served } from '../addresses.js';
import type { Api } from '../assemble.js';
import type { ChangeFeed } from '../change-feed.js';
import type { ControlPlaneSettings } from '../control-plane-settings.js';

/** Parts of a process that its components make for each other, by name. */
interface Parts {
  readonly observation: Observation;
  /** Nothing of it where nothing is encrypted. */
  readonly encryption: Encryption | undefined;
  readonly store: SealedStore;
  readonly changes: ChangeFeed;
  readonly api: Api;
  readonly admission: AdmissionControl;
  readonly admissionObserver: AdmissionObserver;
  /** Limits that all processes share; absent without Redis. */
  readonly sharedRates: RedisRates | undefined;
  readonly admissionWebhooks: AdmissionWebhooks;
  /** Present where this process does the installation's housekeeping. */
  readonly followed: FollowedByNamespaces | undefined;
  /** Present where this process does the installation's housekeeping and policies are evaluated. */
  readonly policies: FollowedObjects | undefined;
  readonly customResources: CustomResources;
  readonly webhooks: Webhooks;
  /** Absent without Redis. */
  readonly sharedVerdicts: RedisVerdicts | undefined;
  readonly access: AccessControl;
  readonly fairness: Fairness;
  readonly serviceAccountKeys: ServiceAccountKeys;
  readonly tokens: ApiTokens;
  readonly credentials: ReloadableCredentials;
  readonly audit: AuditLog;
  /** Records requests; undefined where nothing is recorded. */
  readonly auditor: Auditor | undefined;
  readonly aggregated: AggregatedApis;
  readonly watches: OpenWatches;
  readonly vanishedPeers: VanishedPeers;
  /** Streams that other processes serve for clients of this one. */
  readonly handedOn: HandedStreams;
  /** Proxies watches to gateways; undefined where they are served here. */
  readonly watchProxy: WatchProxy | undefined;
  /** Answers requests that are for no resource. */
  readonly documents: RequestListener;
  readonly requestMetrics: RequestMetrics;
  /** Answers each request. */
  readonly requests: ReturnType<typeof createListener>;
  readonly served: Served;
}

type PartName = keyof Parts;

/** The process as one component sees it: with the parts that it has declared. */
export interface Host<Uses extends PartName, Makes extends PartName = never> {
  /** Role, options, and how the state is opened. */
  readonly settings: ControlPlaneSettings;
  /** Log of the process. */
  readonly logger: Logger;
  /** Feature gates, as the options set them. */
  readonly features: FeatureGates<FeatureName>;
  /** Aborts when the process is to stop, and ends it for an error. */
  readonly lifecycle: Pick<Lifecycle, 'stopping' | 'fail'>;
  /** Counts the errors that {@link logger} has written. */
  readonly loggedErrors: ErrorCounts;
  /** Health checks; each component adds its own when it is bound to the process, before anything starts. */
  readonly health: HealthRegistry;
  /** Returns a part. @throws Error before the component that makes it has provided it */
  readonly need: <Name extends Uses>(name: Name) => Parts[Name];
  /** Returns a part, or undefined before it is provided: for what stops a process that has not started whole. */
  readonly peek: <Name extends Uses | Makes>(name: Name) => Parts[Name] | undefined;
  /** Provides parts to the components behind this one. */
  readonly provide: (parts: Partial<Pick<Parts, Makes>>) => void;
}

/** Parts that a component works with, by name. */
interface Declaration<Needs extends PartName, Later extends PartName, Makes extends PartName> {
  /** Name in the log and in errors. */
  readonly name: string;
  /** Parts that must be there before it starts. */
  readonly needs?: readonly Needs[];
  /** Parts that it uses once the process has started. */
  readonly later?: readonly Later[];
  /** Parts that it provides when it starts. */
  readonly makes?: readonly Makes[];
}

/** A component that is not bound to a process yet. */
export interface DeclaredComponent extends Required<Declaration<PartName, PartName, PartName>> {
  /** Binds the component to a process. */
  of(process: ControlPlaneProcess): Component;
}

/** Declares a component; `make` gives its start and stop for one process. */
export const declare = <Needs extends PartName = never, Later extends PartName = never, Makes extends PartName = never>(
  { name, needs = [], later = [], makes = [] }: Declaration<Needs, Later, Makes>,
  make: (host: Host<Needs | Later, Makes>) => Omit<Component, 'name'>,
): DeclaredComponent => ({
  ...{ name, needs, later, makes },
  of: (process) => ({ name, ...make(process) }),
});

/**
 * Checks that the parts that each component needs are made before, with the components in the order of their start.
 * @throws Error that names the component, the part, and the component that would have to start before
 */
export function checkParts(components: readonly DeclaredComponent[]): void {
  const makers = new Map(components.flatMap(({ name, makes }) => makes.map((part) => [part, name] as const)));
  const made = new Set<PartName>();
  for (const { name, needs, later, makes } of components) {
    for (const part of [...needs, ...later])
      if (!makers.has(part)) throw new Error(`component ${name} needs ${part}, which no component makes`);
    for (const part of needs)
      if (!made.has(part))
        throw new Error(`component ${name} needs ${part} of ${makers.get(part)}, which starts later`);
    for (const part of makes) made.add(part);
  }
}

/** Part of a process that is there before its components make the others. */
type Base = Omit<Host<never>, 'need' | 'peek' | 'provide'>;

/** A process of the control plane while it is put together: what its components have in common. */
export class ControlPlaneProcess implements Host<PartName, PartName> {
  readonly #parts: Partial<Parts> = {};
  readonly settings: ControlPlaneSettings;
  readonly logger: Logger;
  readonly features: FeatureGates<FeatureName>;
  readonly lifecycle: Pick<Lifecycle, 'stopping' | 'fail'>;
  readonly loggedErrors: ErrorCounts;
  readonly health: HealthRegistry;

  constructor({ settings, logger, features, lifecycle, loggedErrors, health }: Base) {
    this.settings = settings;
    this.logger = logger;
    this.features = features;
    this.lifecycle = lifecycle;
    this.loggedErrors = loggedErrors;
    this.health = health;
  }

  /** See {@link Host.provide}. */
  readonly provide = (parts: Partial<Parts>): void => {
    Object.assign(this.#parts, parts);
  };

  /** See {@link Host.need}. */
  readonly need = <Name extends PartName>(name: Name): Parts[Name] => {
    if (!(name in this.#parts)) throw new Error(`a part of the process was used before it was started: ${name}`);
    return this.#parts[name] as Parts[Name];
  };

  /** See {@link Host.peek}. */
  readonly peek = <Name extends PartName>(name: Name): Parts[Name] | undefined => this.#parts[name];
}

/** Returns what most components work on: request dependencies, store and feed. */
export const stateOf = (host: Host<'api' | 'store' | 'changes'>) => ({
  deps: host.need('api').deps,
  store: host.need('store'),
  feed: host.need('changes').feed,
});

/** Returns where components report: metrics and log. */
export const tellingOf = (host: Host<'observation'>) => ({
  metrics: host.need('observation').metrics,
  logger: host.logger,
});
