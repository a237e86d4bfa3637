import type { MetricsText } from '@orch/discovery';
import type { ChangeBus } from '@orch/feed';
import type { Component, Logger, Metrics } from '@orch/runtime';
import type { ServingStore, StoreObserver } from '@orch/storage';
import type { BusSettings } from './change-bus.js';
import type { LocalApi, LocalUser } from './local/local-api.js';
import type { BackendOptions, ServingOptions } from './options.js';

/** Properties by which the kinds of processes differ: api-server, watch-gateway, standalone. */
export interface ProcessRole {
  /** Name of the process in traces. */
  readonly name: string;
  /** Gateways to which watches are passed on; empty where they are served here. */
  readonly gatewayUrls: readonly string[];
  /** Whether api-servers hand watches to it. Default false. */
  readonly takesHandedWatches?: boolean;
  /** Whether it maintains shared state of the installation: default objects, namespaces that terminate. */
  readonly housekeeping: boolean;
  /** Whether namespaces get the authority of its own certificate where `--root-ca-file` names none. Default false. */
  readonly publishesAuthority?: boolean;
  /** Longest time that it warms up before it is ready, milliseconds. Default 0: it does not. */
  readonly warmUpMs?: number;
}

/** Services of the process for the function that opens its store. */
export interface StoreHost {
  /** Metrics of the process. */
  readonly metrics: Metrics;
  /** That of the process. */
  readonly logger: Logger;
  /** Ends the process with an error: the state cannot be had any more. */
  fail(error: unknown): void;
  /** Aborts when the process is asked to stop: a store that is being opened is not needed any more. */
  readonly stopping: AbortSignal;
}

/** The API as what runs beside it in one process finds it. */
export interface ServedApi {
  /** Returns its address. */
  url(): string;
  /** Returns the authorities of its certificate, PEM; undefined where they are not known. */
  authority(): string | undefined;
  /** Log of the process. */
  readonly logger: Logger;
  /** Returns the metrics of the process, which `/metrics` serves. */
  metrics(): Metrics;
  /** Returns the API as a user has it without a connection; once it is served. */
  as(user: LocalUser): LocalApi;
}

/** Settings of a process of the control plane. */
export interface ControlPlaneSettings {
  /** Tasks of the process beside serving the API. */
  readonly role: ProcessRole;
  /** Addresses, credentials, limits and features: values of {@link servingOptions}. */
  readonly serving: ServingOptions;
  /** Database and bus: values of {@link backendOptions}. */
  readonly backend: BackendOptions;
  /** Opens the store; called when the components that it depends on run. */
  openStore(observer: StoreObserver, host: StoreHost): Promise<ServingStore>;
  /** Releases what {@link openStore} has started; called once everything has been stopped, before the process exits. */
  releaseStore?(): Promise<void>;
  /** Opens what announces changes between processes. */
  openBus(settings: BusSettings): Promise<ChangeBus>;
  /** Makes what runs beside the API in this process: it is started last, and stopped first. */
  readonly companions?: (api: ServedApi) => readonly Component[];
  /** Makes the page that `/metrics` serves from the metrics of this process. Default: those themselves. */
  readonly metricsPage?: (own: MetricsText) => MetricsText;
}
