import type { Names } from '@orch/machinery';
import type { Metrics } from '@orch/runtime';
import type { FeatureName } from '@orch/schema';
import type { ReviewWebhook, ReviewWebhookSettings, SharedRates } from '@orch/webhooks';
import type { Attributes, Target } from './attributes.js';
import type { KnownObjects } from './known-objects.js';
import type { OwnWrites } from './own-writes.js';
import type { PolicySurroundings } from './policy/policy-surroundings.js';
import type { WebhookSurroundings } from './webhook/surroundings.js';

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
 * One rule about what may be written. It sees every write: each verb and subresource, each object of a collection that is
 * deleted, dry runs, and what the server itself writes. A plugin that wants to say no throws {@link refusal}; any other
 * error that is no Status fails the request with 500.
 *
 * A write that is overtaken by another is made again upon what is there then, and asks again: a plugin must bear to be asked
 * several times for one request.
 */
export interface AdmissionPlugin {
  /** As options name it. */
  readonly name: string;
  /**
   * Whether it may call out (a webhook), or wait for anything else. Nothing is held while it is asked: no lane, no connection
   * and nobody's turn. Default false: its answers come at once, and updates of one object may be judged upon each other.
   */
  readonly callsOut?: boolean | ((target: Target) => boolean);
  /** Services of the process that it relies on; they are provided where the plugin is on. Default: none. */
  readonly needs?: readonly PluginNeed[];
  /** Whether it has anything to say; asked before objects are copied for it, and cheap. */
  handles(target: Target): boolean;
  /** May change `attributes.object`, and refuse. Runs before the object is validated, in the order of the table. */
  admit?(attributes: Attributes): void | Promise<void>;
  /** `validate` changes nothing of what it is given, which then need not be a copy. Default false. */
  readonly looksOnly?: boolean;
  /** May refuse. Runs once the object is valid and complete but for what is allocated (addresses, ports). */
  validate?(attributes: Attributes): void | Promise<void>;
  /** Opens what it needs, before anybody asks it. @throws Error the process does not start */
  start?(): Promise<void>;
  /** Ends what it has opened, when the process ends. */
  close?(): Promise<void>;
}

/** What options of the process say to plugins. */
export interface PluginSettings {
  /** How long pods stay on a node that is not ready, or cannot be reached, seconds. */
  readonly notReadyTolerationSeconds: number;
  /** Seconds that pods stay on a node that nobody reaches. */
  readonly unreachableTolerationSeconds: number;
  /** Whether a webhook may be asked what users may do; whoever asks then waits for it. */
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

/** A webhook that answers reviews. */
export type ReviewCaller = Pick<ReviewWebhook, 'ask' | 'close'>;

/** What a plugin is made with. */
export interface PluginContext {
  /** Of the installation. */
  readonly names: Names;
  /** What may be looked up. */
  readonly objects: KnownObjects;
  /** What may be made for users. */
  readonly ownWrites: OwnWrites;
  /** What options say to plugins. */
  readonly settings: PluginSettings;
  /**
   * What webhooks are called with.
   * @param configuration a `WebhookAdmissionConfiguration`; undefined for none
   * @throws Error for one that is none
   */
  webhooks(configuration: unknown): WebhookSurroundings;
  /** What policies are judged with. */
  readonly policies: PolicySurroundings;
  /** Whether a feature gate is on. */
  isEnabled(feature: FeatureName): boolean;
  /** Where it counts, under the names of the reference. */
  readonly metrics: Metrics;
  /** What is served as a kind of a group's version, custom and aggregated resources too; nothing for one that is not. */
  servedAs(group: string, version: string, kind: string): readonly ServedKind[];
  /**
   * Opens the webhook of a connection file (form of a kubeconfig).
   * @throws Error for a file that cannot be used
   */
  openReviews(file: string, settings: Pick<ReviewWebhookSettings, 'firstWaitMs' | 'timeoutMs'>): Promise<ReviewCaller>;
  /** Rates that all processes of the installation keep together; undefined where each keeps its own. */
  readonly sharedRates: SharedRates | undefined;
  /** What `--admission-control-config-file` says to this plugin, parsed and not looked at; undefined where it says nothing. */
  readonly configuration: unknown;
}

/** Makes a plugin for a process. @throws Error telling what is wrong with its configuration: the process does not start */
export type PluginMaker = (context: PluginContext) => AdmissionPlugin;
