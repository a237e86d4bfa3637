import type { ExtensionPoint } from './extension-points.js';
import type { PluginArgs } from './plugin-args.js';

/** A plugin in the configuration, with its weight in scores; 0 where none is given. */
export interface ConfiguredPlugin {
  readonly name: string;
  readonly weight: number;
}

/** Plugins that are switched on and off for one extension point, or for all of them. */
export interface PluginSet {
  readonly enabled: readonly ConfiguredPlugin[];
  /** Names; `*` stands for all defaults. */
  readonly disabled: readonly string[];
}

/** Sets of plugins by extension point; `multiPoint` means all that a plugin implements. */
export type PluginSets = Readonly<Record<ExtensionPoint | 'multiPoint', PluginSet>>;

/** Plugins of one extension point, in the order in which they run; weights only of those that score. */
export type EnabledPlugins = Readonly<Record<ExtensionPoint, readonly ConfiguredPlugin[]>>;

/** How the pods of one scheduler name are scheduled. */
export interface SchedulerProfile {
  /** Value of the pods' `spec.schedulerName`. */
  readonly schedulerName: string;
  /** Percentage of the nodes that are looked at; undefined: that of the whole configuration. */
  readonly percentageOfNodesToScore: number | undefined;
  /** Sets with the defaults merged in, before they are expanded. */
  readonly pluginSets: PluginSets;
  /** Plugins that run. */
  readonly plugins: EnabledPlugins;
  readonly args: PluginArgs;
}

/** TLS of an extender. Files are read, and data is decoded, where the connection is made. */
export interface ExtenderTls {
  readonly insecure: boolean;
  readonly serverName: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  /** Base64. */
  readonly certData: string;
  /** Base64. */
  readonly keyData: string;
  /** Base64. */
  readonly caData: string;
}

/** An extended resource that an extender manages. */
export interface ManagedResource {
  readonly name: string;
  /** Whether the scheduler itself leaves it out when it compares requests with nodes. */
  readonly ignoredByScheduler: boolean;
}

/** An HTTP service that takes part in scheduling. */
export interface ExtenderConfiguration {
  readonly urlPrefix: string;
  /** Appended to the prefix for filter calls; empty: there are none. The other verbs likewise. */
  readonly filterVerb: string;
  readonly preemptVerb: string;
  readonly prioritizeVerb: string;
  readonly bindVerb: string;
  /** Factor of the scores of prioritize calls. */
  readonly weight: number;
  readonly enableHTTPS: boolean;
  readonly tlsConfig: ExtenderTls | undefined;
  /** Milliseconds for one call. Default: 5,000. */
  readonly timeoutMs: number;
  /** Whether the extender knows the nodes: it is sent names instead of objects. */
  readonly nodeCacheCapable: boolean;
  /** Resources for whose pods alone the extender is asked; none: for all pods. */
  readonly managedResources: readonly ManagedResource[];
  /** Whether pods are scheduled without the extender when it fails. */
  readonly ignorable: boolean;
}

/** Lease by which one of several schedulers is active. */
export interface SchedulerLeaderElection {
  readonly leaderElect: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly resourceLock: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** Connection to the API server. */
export interface SchedulerClientConnection {
  readonly kubeconfig: string;
  readonly acceptContentTypes: string;
  readonly contentType: string;
  /** Requests a second on average; negative for no limit. Default: no limit. */
  readonly qps: number;
  /** Requests that may go out at once before {@link qps} holds. */
  readonly burst: number;
}

/** The whole configuration of a scheduler, with defaults, valid. */
export interface SchedulerConfiguration {
  /** Version that it was written in. */
  readonly version: 'v1' | 'v1beta3';
  readonly parallelism: number;
  /** 0: as many as the size of the cluster asks for. */
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly enableProfiling: boolean;
  readonly enableContentionProfiling: boolean;
  readonly leaderElection: SchedulerLeaderElection;
  readonly clientConnection: SchedulerClientConnection;
  /** At least one; their names differ, and all sort the queue by the same plugin. */
  readonly profiles: readonly SchedulerProfile[];
  readonly extenders: readonly ExtenderConfiguration[];
}
