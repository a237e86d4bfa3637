import type { ExtensionPoint, PluginArgs } from '@orch/scheduler-plugins';

/** A plugin in the configuration, with its weight in scores; 0 where none is given. */
export interface ConfiguredPlugin {
  /** Name of the plugin. */
  readonly name: string;
  /** Factor of its scores. */
  readonly weight: number;
}

/** Plugins that are switched on and off for one extension point, or for all of them. */
export interface PluginSet {
  /** Plugins in their order. */
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
  /** Arguments of the plugins. */
  readonly args: PluginArgs;
}

/** TLS of an extender. Files are read, and data is decoded, where the connection is made. */
export interface ExtenderTls {
  /** Whether the certificate of the extender is not verified. */
  readonly insecure: boolean;
  /** Name in the certificate. Default: the host of the URL. */
  readonly serverName: string;
  /** PEM file of the client certificate. */
  readonly certFile: string;
  /** PEM file of its key. */
  readonly keyFile: string;
  /** PEM file of the CA certificates. */
  readonly caFile: string;
  /** Base64. */
  readonly certData: string;
  /** Base64. */
  readonly keyData: string;
  /** Base64. */
  readonly caData: string;
}

/** An extended resource that an extender manages. */
interface ManagedResource {
  /** Name of the resource: `example.com/gpu`. */
  readonly name: string;
  /** Whether the scheduler itself leaves it out when it compares requests with nodes. */
  readonly ignoredByScheduler: boolean;
}

/** An HTTP service that takes part in scheduling. */
export interface ExtenderConfiguration {
  /** URL before the verbs. */
  readonly urlPrefix: string;
  /** Appended to the prefix for filter calls; empty: there are none. The other verbs likewise. */
  readonly filterVerb: string;
  /** Verb of preemption calls. */
  readonly preemptVerb: string;
  /** Verb of prioritize calls. */
  readonly prioritizeVerb: string;
  /** Verb of bind calls. */
  readonly bindVerb: string;
  /** Factor of the scores of prioritize calls. */
  readonly weight: number;
  /** Whether an `http` URL is called over TLS. */
  readonly enableHTTPS: boolean;
  /** TLS settings. Without a CA the certificate is not verified. */
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
  /** Whether the scheduler waits until it holds the lease. */
  readonly leaderElect: boolean;
  /** Milliseconds after which others take the lease over. Default: 15,000. */
  readonly leaseDurationMs: number;
  /** Milliseconds in which the lease must be renewed. Default: 10,000. */
  readonly renewDeadlineMs: number;
  /** Milliseconds between attempts. Default: 2,000. */
  readonly retryPeriodMs: number;
  /** Always `leases`. */
  readonly resourceLock: string;
  /** Name of the lease. */
  readonly resourceName: string;
  /** Namespace of the lease. */
  readonly resourceNamespace: string;
}

/** Connection to the API server. */
export interface SchedulerClientConnection {
  /** File with the address and the credentials; empty for those of the process. */
  readonly kubeconfig: string;
  /** Media types of answers; empty for that of requests. */
  readonly acceptContentTypes: string;
  /** Media type of requests. */
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
  /** Number of tasks that run at once. Default: 16. */
  readonly parallelism: number;
  /** 0: as many as the size of the cluster asks for. */
  readonly percentageOfNodesToScore: number;
  /** Seconds before the second attempt for a pod. Default: 1. */
  readonly podInitialBackoffSeconds: number;
  /** Most seconds between attempts for a pod. Default: 10. */
  readonly podMaxBackoffSeconds: number;
  /** Whether profiles of the process are served. */
  readonly enableProfiling: boolean;
  /** Whether those of waits are. */
  readonly enableContentionProfiling: boolean;
  /** Lease by which one scheduler is active. */
  readonly leaderElection: SchedulerLeaderElection;
  /** Connection to the API server. */
  readonly clientConnection: SchedulerClientConnection;
  /** At least one; their names differ, and all sort the queue by the same plugin. */
  readonly profiles: readonly SchedulerProfile[];
  /** Extenders in their order. */
  readonly extenders: readonly ExtenderConfiguration[];
}
