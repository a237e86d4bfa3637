import {
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  type BoundUsers,
  bootstrapPolicy,
  type Concerned,
  mastersDecide,
  nodeAuthorizer,
  type RbacPolicy,
  rbacAuthorizer,
  rulesOf,
  union,
} from '@orch/authorization';
import type { Controller } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { policyEndpoints } from '@orch/resources';
import { type Logger, systemClock } from '@orch/runtime';
import type { Features } from '@orch/schema';
import type { OpenWatches } from '@orch/serving';
import type { ServingStore } from '@orch/storage';
import type { SharedVerdicts } from '@orch/webhooks';
import type { ControllerClient } from '@orch/writing';
import { type AuthorizationMode, type AuthorizationOptions, authorizationModes } from './authorization-options.js';
import { type AuthorizationWebhook, openAuthorizationWebhook } from './authorization-webhook.js';
import { BootstrapPolicyKeeper, bootstrapGates } from './bootstrap-policy-keeper.js';
import { rightsCheck } from './judge-of-rights.js';
import { NodeInformers } from './node-informers.js';
import { PolicyInformers } from './policy-informers.js';
import { roleAggregation } from './role-aggregation.js';
import { WatchRechecks } from './watch-rechecks.js';

interface AccessControlSettings {
  readonly deps: ApiDeps;
  /** Filled with the roles and bindings that are followed. */
  readonly policy: RbacPolicy;
  /** Makes the namespaces that every installation has. */
  readonly makeNamespaces: () => Promise<void>;
  readonly store: ServingStore;
  readonly feed: OrderedFeed;
  readonly options: AuthorizationOptions;
  readonly features: Features;
  /** Cache of webhook verdicts that is shared with other processes; undefined for none. */
  readonly shared: SharedVerdicts | undefined;
  /** Called after each call of the webhook. */
  readonly onReview?: (failed: boolean) => void;
  /** Whether this process may maintain the roles that every installation has. */
  readonly decides: boolean;
  readonly logger: Logger;
}

/** Role with the rules of every node. */
const NODE_ROLE = 'system:node';

/**
 * Authorization of one process: the authorizer, the state that it decides by, and the effect of changes on open
 * watches.
 */
export class AccessControl {
  /** Decides for every request. */
  readonly authorizer: Authorizer;
  readonly #informers: PolicyInformers;
  readonly #nodes: NodeInformers;
  readonly #settings: AccessControlSettings;
  #rechecks: WatchRechecks | undefined;
  readonly #onLoss = new Set<(concerned: Concerned) => void>();
  readonly #keeper: BootstrapPolicyKeeper | undefined;
  readonly #openWebhook: () => Promise<AuthorizationWebhook | undefined>;
  #webhook: AuthorizationWebhook | undefined;
  readonly #makeNamespaces: () => Promise<void>;
  #isReady = false;

  constructor(settings: AccessControlSettings) {
    this.#settings = settings;
    const { deps, policy, store, feed, options, features, shared, onReview, decides, logger } = settings;
    const { authorizationWebhookConfigFile: file } = options;
    this.#openWebhook = async () =>
      file ? openAuthorizationWebhook(file, { names: deps.names, options, shared, onReview }) : undefined;
    this.#makeNamespaces = settings.makeNamespaces;
    const onError = (error: unknown) => logger.error('authorization', error);
    const endpoints = policyEndpoints(deps);
    this.#informers = new PolicyInformers({ store, feed, endpoints, policy, onError });
    const onLoss = (concerned: Concerned) => {
      for (const listener of this.#onLoss) listener(concerned);
    };
    this.#informers.onLoss(onLoss);
    // A node ends its own watches of a pod's objects when it learns that the pod is gone, and would report a refusal as
    // an error.
    const onNodeLoss = (concerned: Concerned) =>
      void systemClock.after(options.nodeWatchGrace, () => onLoss(concerned));
    this.#nodes = new NodeInformers({ deps, store, feed, onLoss: onNodeLoss, onError });
    const byMode: Record<AuthorizationMode, () => Authorizer> = {
      AlwaysAllow: () => alwaysAllow,
      AlwaysDeny: () => alwaysDeny,
      Node: () => nodeAuthorizer({ names: deps.names, rules: nodeRules(), graph: () => this.#nodes.graph() }),
      RBAC: () => rbacAuthorizer(policy),
      Webhook: () => this.#webhookAuthorizer(),
    };
    const nodeRules = () =>
      bootstrapPolicy(deps.names, bootstrapGates(features)).roles.find(({ name }) => name === NODE_ROLE)?.object
        .rules ?? [];
    const modes = authorizationModes(options.authorizationMode);
    this.authorizer = union([mastersDecide, ...modes.map((mode) => byMode[mode]())]);
    if (!decides) return;
    const writing = { deps, store, endpoints, policy, informers: this.#informers };
    this.#keeper = new BootstrapPolicyKeeper({ ...writing, features, users: usersOf(options) });
  }

  /** Opened when the process starts, before anything is decided. */
  #webhookAuthorizer(): Authorizer {
    const opened = () => {
      if (!this.#webhook) throw new Error('the authorization webhook is not known yet');
      return this.#webhook.authorizer;
    };
    return {
      authorize: async (user, request) => opened().authorize(user, request),
      rulesFor: (user, namespace) => rulesOf(opened(), user, namespace),
    };
  }

  /** Whether roles and bindings are known, those among them that every installation has. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Resolves when the policy is loaded, and where this process maintains the default roles, when these exist: only then
   * requests may be answered.
   * @throws StoreUnavailableError
   */
  async start(): Promise<void> {
    this.#webhook = await this.#openWebhook();
    await this.#informers.start();
    // Some default roles are in these namespaces.
    if (this.#keeper) await this.#makeNamespaces();
    await this.#keeper?.keep();
    this.#isReady = true;
  }

  /** The controller of roles that are made of others. @param client writes as the controller */
  aggregation(client: ControllerClient): Controller {
    const { deps, policy } = this.#settings;
    return roleAggregation({ deps, policy, endpoints: policyEndpoints(deps), informers: this.#informers, client });
  }

  /**
   * Ends watches whose user loses the right to them while they are open. A change causes only the watches that it
   * concerns to be checked; where a webhook decides, which notifies of no change, each is checked from time to time.
   */
  judge(watches: OpenWatches): void {
    const judge = rightsCheck(this.authorizer);
    this.#onLoss.add((concerned) => void watches.reevaluate(judge, concerned));
    const { options, logger } = this.#settings;
    if (!options.authorizationWebhookConfigFile) return;
    const intervalMs = options.authorizationWebhookWatchInterval;
    this.#rechecks = new WatchRechecks({ watches, judge, intervalMs, clock: systemClock, logger });
  }

  /** To be called when no more requests are answered. */
  async stop(): Promise<void> {
    this.#rechecks?.stop();
    this.#informers.stop();
    this.#nodes.stop();
    await this.#webhook?.close();
  }
}

const usersOf = ({ clusterAdminUsers, kubeletClientUsers }: AuthorizationOptions): BoundUsers => ({
  administrators: clusterAdminUsers,
  kubeletClients: kubeletClientUsers,
});
