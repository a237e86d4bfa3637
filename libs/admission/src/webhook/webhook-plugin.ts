import { BASE_ENVIRONMENT, LATER_ENVIRONMENT } from '@orch/expressions';
import { type ApiObject, forbidden, type JsonObject, type Names } from '@orch/machinery';
import type { Attributes, Target } from '../attributes.js';
import { type FollowedObjects, requireReadable } from '../known-objects.js';
import { aggregated } from '../matching/conditions.js';
import type { EvaluationTurns } from '../matching/evaluation-turns.js';
import { FollowedNamespaces } from '../matching/followed-namespaces.js';
import type { MatchWorld, SentAs } from '../matching/match.js';
import { RequestIndex } from '../matching/request-index.js';
import { isExempt } from '../matching/rules.js';
import type { PluginContext } from '../plugin.js';
import { CallsByWebhook } from './calls-by-webhook.js';
import { type Hook, Hooks } from './hook.js';
import { HookCaller } from './hook-caller.js';
import { requestOf } from './review.js';
import type { WebhookServices, WebhookState, WebhookTrust, WebhookType } from './webhook-services.js';

/** A phase of admission and its configurations. */
interface Phase {
  readonly type: WebhookType;
  /** Plural of the configurations. */
  readonly resource: string;
}

/** A webhook that matches a request, and the content of its review. */
export interface Matched {
  /** The webhook. */
  readonly hook: Hook;
  /** Resource and kind that it sees. */
  readonly sentAs: SentAs;
  /** The request of the review, without its objects. */
  readonly request: JsonObject;
  /** The new object, in the version that matched; undefined for a deletion. */
  readonly object: ApiObject | undefined;
  /** The existing object, in the version that matched; undefined for a creation. */
  readonly oldObject: ApiObject | undefined;
}

const CONFIGURATIONS = 'admissionregistration.orch.io';

/** The common part of both plugins that call webhooks: finds the webhooks that match a request, and calls them. */
export class WebhookPlugin {
  /** Calls webhooks and applies their failure policies. */
  readonly caller: HookCaller;
  /** Converts objects to the form that webhooks see. */
  readonly forms: WebhookServices['forms'];
  /** Names of the installation. */
  readonly names: Names;
  readonly #configurations: FollowedObjects;
  readonly #index: RequestIndex<Hook>;
  readonly #calls: CallsByWebhook;
  readonly #namespaces: FollowedNamespaces;
  readonly #world: MatchWorld;
  readonly #group: string;
  readonly #noted: WebhookServices;

  constructor(
    private readonly phase: Phase,
    context: PluginContext,
  ) {
    const { names, objects } = context;
    const webhooks = context.webhooks(context.configuration);
    const { forms, client, observer } = webhooks;
    const environment = context.isEnabled('LaterExpressions') ? LATER_ENVIRONMENT : BASE_ENVIRONMENT;
    const configurations = objects.follow({ group: CONFIGURATIONS, resource: phase.resource });
    this.#configurations = configurations;
    this.names = names;
    this.forms = forms;
    this.#noted = webhooks;
    this.#group = names.group(CONFIGURATIONS);
    this.#namespaces = new FollowedNamespaces(objects);
    this.#world = {
      own: (target) => forms.own(target),
      equivalents: (target) => forms.equivalents(target),
      namespaceLabels: (name) => this.#namespaces.labels(name),
    };
    const hooks = new Hooks(environment);
    this.#index = new RequestIndex(() => hooks.of(configurations.all()), forms);
    configurations.onChange(() => this.#index.changed());
    this.#calls = new CallsByWebhook(webhooks.mostHangingCalls);
    this.caller = new HookCaller({ names, type: phase.type, client, observer, calls: this.#calls });
    configurations.onChange(() => this.#calls.keep(this.#index.all));
    webhooks.show(
      () => this.#states(),
      () => this.#trusted(),
    );
  }

  /** Returns whether a webhook may match, as far as is known before objects are read. */
  handles(target: Target): boolean {
    const meant = this.#index.meant(target);
    if (isExempt(target, this.#group)) return false;
    const { namespace, resource } = target;
    const isUnreadable = this.#configurations.unreadable('') !== undefined;
    if (meant.length === 0 && !isUnreadable) return false;
    if (namespace === '') return true;
    if (this.#noted.exempt.namespaces.has(namespace)) return false;
    if (isUnreadable) return true;
    if (this.#namespaces.isBehind) return true;
    const labels = resource === 'namespaces' ? undefined : this.#namespaces.known(namespace);
    return labels === undefined || meant.some(({ matcher }) => !matcher.excludesNamespace(target, labels));
  }

  /**
   * Returns the webhooks that may match a request; none if its user is exempt, or bypasses webhooks.
   * @throws Error if some configurations are unreadable: they might match
   */
  hooks(attributes: Attributes): readonly Hook[] {
    const meant = this.#index.meant(attributes);
    const { groups } = attributes.user;
    if (groups.some((group) => this.#noted.exempt.groups.has(group))) return [];
    if (attributes.skipsWebhooks !== true) {
      requireReadable(this.#configurations, '');
      return meant;
    }
    const names = meant.map(({ name }) => name).join(',');
    attributes.annotate(`${this.names.group(`${this.#kind}.webhook.admission.orch.io`)}/skipped`, names);
    attributes.warn('admission webhooks were not asked about this request');
    return [];
  }

  /**
   * Returns the content of a review for the request in its current state; undefined if the webhook does not match.
   * @param turns of the request, which all webhooks share
   * @throws StatusError 403 for conditions that fail, 404 for a namespace that does not exist, 500
   */
  async match(hook: Hook, attributes: Attributes, turns: EvaluationTurns): Promise<Matched | undefined> {
    const sentAs = await hook.matcher.match(attributes, this.#world);
    if (!sentAs) return undefined;
    const { forms, names } = this;
    const [object, oldObject] = [
      await this.#sent(attributes.object, attributes, sentAs),
      await this.#sent(attributes.oldObject, attributes, sentAs),
    ];
    const own = forms.own(attributes);
    const request = requestOf(attributes, sentAs, own, names);
    const matched = { hook, sentAs, request, object, oldObject };
    return (await this.#conditionsHold(matched, attributes, own, turns)) ? matched : undefined;
  }

  async #sent(object: ApiObject | undefined, target: Target, as: SentAs): Promise<ApiObject | undefined> {
    return object && this.forms.sent(object, target, as);
  }

  async #conditionsHold(
    { hook, request, object, oldObject }: Matched,
    attributes: Attributes,
    own: SentAs,
    turns: EvaluationTurns,
  ): Promise<boolean> {
    const { conditions } = hook;
    if (conditions.isEmpty) return true;
    // Expressions see the request as it came, whatever version is sent (as in the reference).
    const asked = { ...request, kind: { ...own.kind }, resource: { ...own.resource } };
    const verdict = await conditions.evaluate({ object, oldObject, request: asked, attributes }, turns);
    if (verdict.kind === 'matches') return true;
    for (const _error of verdict.errors) this.#noted.observer.conditionFailed(hook.name, this.phase.type);
    if (verdict.kind === 'skips' || hook.ignoresFailure) return false;
    const { group, resource, name } = attributes;
    throw forbidden({ group, resource }, name, aggregated(verdict.errors));
  }

  get #kind(): 'mutating' | 'validating' {
    return this.phase.type === 'admit' ? 'mutating' : 'validating';
  }

  #trusted(): readonly WebhookTrust[] {
    return this.#index.all.flatMap(({ configuration, name, clientConfig: { caBundle } }) => {
      if (!caBundle) return [];
      const pem = Buffer.from(caBundle, 'base64').toString();
      return [{ object: `${this.#kind}webhookconfigurations/${configuration}/${name}`, pem }];
    });
  }

  #states(): readonly WebhookState[] {
    return this.#index.all.map((hook) => {
      const { hanging, isFull, lastFailure } = this.#calls.of(hook);
      const failurePolicy = hook.ignoresFailure ? 'Ignore' : 'Fail';
      const { configuration, name: webhook } = hook;
      return { configuration, webhook, type: this.phase.type, failurePolicy, hanging, isFull, lastFailure };
    });
  }
}
