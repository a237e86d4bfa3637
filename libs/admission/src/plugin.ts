import type { Names } from '@orch/machinery';
import type { Metrics } from '@orch/runtime';
import type { FeatureName } from '@orch/schema';
import type { ReviewWebhook, ReviewWebhookSettings, SharedRates } from '@orch/webhooks';
import type { Attributes, Target } from './attributes.js';
import type { KnownObjects } from './known-objects.js';
import type { ServerWriter } from './own-writes.js';
import type { PolicyServices } from './policy/policy-services.js';
import type { WebhookServices } from './webhook/webhook-services.js';

/**
 * A service of the process that a plugin relies on:
 *
 * - `quotas`: writes that would exceed a ResourceQuota are refused, and not only counted
 * - `accounts`: every namespace has a service account for pods that name none
 * - `priorities`: the PriorityClasses of the system exist
 */
type PluginNeed = 'quotas' | 'accounts' | 'priorities';

/** Returns whether one of the plugins relies on a service of the process. */
export const isNeeded = (plugins: readonly Pick<AdmissionPlugin, 'needs'>[], need: PluginNeed): boolean =>
  plugins.some(({ needs }) => needs?.includes(need));

/**
 * A rule about what may be written. It sees every write: each verb and subresource, each object of a collection that is
 * deleted, dry runs, and the server's own writes. A plugin refuses by throwing {@link refusal}; any other error that is
 * no Status fails the request with 500.
 *
 * A write that conflicts with another is retried on the current object, and calls the plugins again: a plugin must
 * tolerate several calls for one request.
 */
export interface AdmissionPlugin {
  /** Name as in the options. */
  readonly name: string;
  /**
   * Whether it may call another process (a webhook), or wait for anything else. No lane, connection or turn is held
   * during its calls. Default false: its answers are immediate, and several updates of one object may be validated one
   * on top of the other.
   */
  readonly callsOut?: boolean | ((target: Target) => boolean);
  /** Services of the process that it relies on; they are provided if the plugin is enabled. Default: none. */
  readonly needs?: readonly PluginNeed[];
  /** Whether it is also asked about connections (`CONNECT`), as `handles` then says. Default false. */
  readonly admitsConnections?: boolean;
  /**
   * Returns whether the plugin is interested in a target. Called before objects are copied for it, so it must be cheap.
   */
  handles(target: Target): boolean;
  /**
   * Changes `attributes.object` or refuses the write. Runs before the object is validated, in the order of the table.
   */
  admit?(attributes: Attributes): void | Promise<void>;
  /** Whether `validate` leaves its input unchanged, so that it need not be a copy. Default false. */
  readonly readsOnly?: boolean;
  /**
   * Refuses the write by throwing. Runs once the object is valid and complete but for what is allocated (addresses,
   * ports).
   */
  validate?(attributes: Attributes): void | Promise<void>;
  /** Opens what the plugin needs, before the first request. @throws Error the process does not start */
  start?(): Promise<void>;
  /** Closes what it has opened, when the process ends. */
  close?(): Promise<void>;
}

/** Options of the process that concern plugins. */
export interface PluginSettings {
  /** Seconds that pods stay on a node that is not ready. */
  readonly notReadyTolerationSeconds: number;
  /** Seconds that pods stay on a node that is unreachable. */
  readonly unreachableTolerationSeconds: number;
  /** Whether authorization may call a webhook; a check of rights then has to be waited for. */
  readonly authorizerCallsOut: boolean;
}

/** A resource that objects of a kind are served as. */
export interface ServedKind {
  /** '' for the core group. */
  readonly group: string;
  /** Without the group, as `v1`. */
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  /** Whether its objects lie in namespaces. */
  readonly namespaced: boolean;
}

/** Client of a webhook that answers reviews. */
export type ReviewCaller = Pick<ReviewWebhook, 'ask' | 'close'>;

/** Everything that a plugin is made with. */
export interface PluginContext {
  /** Names of the installation. */
  readonly names: Names;
  /** Objects that may be looked up. */
  readonly objects: KnownObjects;
  /** Creates objects on behalf of users. */
  readonly ownWrites: ServerWriter;
  /** Options of the process. */
  readonly settings: PluginSettings;
  /**
   * Returns what webhooks are called with.
   * @param configuration a `WebhookAdmissionConfiguration`; undefined for none
   * @throws Error for an invalid one
   */
  webhooks(configuration: unknown): WebhookServices;
  /** Host of the plugin for policies. */
  readonly policies: PolicyServices;
  /** Returns whether a feature gate is on. */
  isEnabled(feature: FeatureName): boolean;
  /** Registry for metrics, which have the names of the reference. */
  readonly metrics: Metrics;
  /**
   * Returns the resources served as a kind of a group's version, custom and aggregated ones included; none for an
   * unknown kind.
   */
  servedAs(group: string, version: string, kind: string): readonly ServedKind[];
  /**
   * Opens the webhook of a connection file (form of a kubeconfig).
   * @throws Error for a file that cannot be used
   */
  openReviews(file: string, settings: Pick<ReviewWebhookSettings, 'firstWaitMs' | 'timeoutMs'>): Promise<ReviewCaller>;
  /** Rate limits that all processes of the installation share; undefined if each process keeps its own. */
  readonly sharedRates: SharedRates | undefined;
  /**
   * Configuration of this plugin in `--admission-control-config-file`, parsed but not validated; undefined for none.
   */
  readonly configuration: unknown;
}

/** Makes a plugin for a process. @throws Error for an invalid configuration: the process does not start */
export type PluginMaker = (context: PluginContext) => AdmissionPlugin;
