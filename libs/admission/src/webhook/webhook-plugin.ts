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
import type { WebhookState, WebhookSurroundings, WebhookTrust, WebhookType } from './surroundings.js';

/** What the configurations of one phase are called. */
interface Phase {
  readonly type: WebhookType;
  /** Plural of the configurations. */
  readonly resource: string;
}

/** A webhook that is to be asked, and what it is told. */
export interface Matched {
  readonly hook: Hook;
  readonly sentAs: SentAs;
  readonly request: JsonObject;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

const CONFIGURATIONS = 'admissionregistration.orch.io';

/** What both plugins that call webhooks have in common: who is to be asked about a request, and how. */
export class WebhookPlugin {
  readonly caller: HookCaller;
  readonly forms: WebhookSurroundings['forms'];
  readonly names: Names;
  readonly #configurations: FollowedObjects;
  readonly #index: RequestIndex<Hook>;
  readonly #calls: CallsByWebhook;
  readonly #namespaces: FollowedNamespaces;
  readonly #world: MatchWorld;
  readonly #group: string;
  readonly #noted: WebhookSurroundings;

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

  /** Whether somebody may have to be asked, as far as that can be told before objects are looked at. */
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
   * Who may be asked about a request; nobody where its user is exempt, or goes past them.
   * @throws Error where some cannot be read: they may be meant
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
   * What a webhook is to be asked about a request as it is now; undefined where it is not meant.
   * @param turns of the request, which all webhooks share
   * @throws StatusError 403 for conditions that fail, 404 for a namespace that is not there, 500
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
    // Expressions are told of the request as it came, whatever version is sent (as in the reference).
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
