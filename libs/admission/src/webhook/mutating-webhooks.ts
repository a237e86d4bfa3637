import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, copy } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { EvaluationTurns } from '../matching/evaluation-turns.js';
import { internalError } from '../matching/internal-error.js';
import type { AdmissionPlugin, PluginContext } from '../plugin.js';
import type { Hook } from './hook.js';
import { CallFailed } from './refusals.js';
import type { Answer } from './review.js';
import { type Matched, WebhookPlugin } from './webhook-plugin.js';
import type { Patched } from './webhook-services.js';

/** State of a request between its two rounds. */
class Rounds {
  /** Webhooks that were called and want to be called again if the object changes after their call. */
  #asked = new Set<string>();
  readonly #again = new Set<string>();
  #left: ApiObject | undefined;

  /** Begins the second round: built-in plugins may have changed the object since webhooks last did. */
  beginAgain(object: ApiObject | undefined): void {
    if (!isDeepStrictEqual(this.#left, object)) this.changed();
  }

  /** Records a change after the calls so far: the webhooks called so far are to be called again. */
  changed(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked = new Set();
  }

  asked({ id, isReinvocable }: Hook): void {
    if (isReinvocable) this.#asked.add(id);
  }

  isAskedAgain({ id }: Hook): boolean {
    return this.#again.has(id);
  }

  /** Keeps the object at the end of a round of webhooks; only if a webhook may be called again. */
  leave(object: ApiObject | undefined): void {
    if (this.#asked.size > 0 || this.#again.size > 0) this.#left = object && copy(object);
  }
}

/** MutatingAdmissionWebhook: calls the webhooks of MutatingWebhookConfigurations, strictly one after another. */
class MutatingWebhooks implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';
  readonly callsOut = true;
  readonly admitsConnections = true;
  readonly #plugin: WebhookPlugin;
  readonly #rounds = new WeakMap<Attributes, Rounds>();
  readonly #notes: Readonly<Record<'mutation' | 'patch' | 'failedOpen', string>>;

  constructor(context: PluginContext) {
    this.#plugin = new WebhookPlugin({ type: 'admit', resource: 'mutatingwebhookconfigurations' }, context);
    const domain = (canonical: string) => `${context.names.group(canonical)}/`;
    this.#notes = {
      mutation: domain('mutation.webhook.admission.orch.io'),
      patch: domain('patch.webhook.admission.orch.io'),
      failedOpen: domain('failed-open.mutation.webhook.admission.orch.io'),
    };
  }

  handles(target: Parameters<AdmissionPlugin['handles']>[0]): boolean {
    return this.#plugin.handles(target);
  }

  async admit(attributes: Attributes): Promise<void> {
    const hooks = this.#plugin.hooks(attributes);
    if (hooks.length === 0) return;
    const rounds = this.#rounds.get(attributes) ?? new Rounds();
    this.#rounds.set(attributes, rounds);
    if (attributes.isReinvocation) rounds.beginAgain(attributes.object);
    const turns = new EvaluationTurns();
    for (const hook of hooks) {
      const matched = await this.#plugin.match(hook, attributes, turns);
      if (!matched || (attributes.isReinvocation && !rounds.isAskedAgain(hook))) continue;
      await this.#ask(matched, attributes, rounds);
    }
    rounds.leave(attributes.object);
  }

  async #ask(matched: Matched, attributes: Attributes, rounds: Rounds): Promise<void> {
    const { hook } = matched;
    const place = `round_${attributes.isReinvocation ? 1 : 0}_index_${hook.index}`;
    let mutated = false;
    try {
      const asked = { ...matched, attributes };
      const key = this.#notes.failedOpen + place;
      const patched = await this.#plugin.caller.call(asked, key, (answer) => this.#patch(answer, matched));
      if (!patched) return;
      mutated = patched.changed;
      await this.#take(patched, matched, attributes, place);
      if (!mutated) return;
      rounds.changed();
      attributes.reinvoke();
    } finally {
      rounds.asked(hook);
      const { configuration, name: webhook } = hook;
      attributes.annotate(this.#notes.mutation + place, JSON.stringify({ configuration, webhook, mutated }));
    }
  }

  async #patch(
    { patch: operations, patchType }: Answer,
    { hook, object, sentAs }: Matched,
  ): Promise<Patched | undefined> {
    if (operations.length === 0) return undefined;
    if (!object && !isEmptyPatch(operations)) {
      const why = `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`;
      throw internalError(why);
    }
    if (!object) return undefined;
    if (patchType !== 'JSONPatch')
      throw new CallFailed(hook.name, `unsupported patch type ${JSON.stringify(patchType)}`, 400);
    try {
      return await this.#plugin.forms.patched(object, operations, sentAs);
    } catch (error) {
      throw internalError(error instanceof Error ? error.message : String(error));
    }
  }

  async #take(patched: Patched, { hook, sentAs }: Matched, attributes: Attributes, place: string): Promise<void> {
    const { object } = attributes;
    if (object) await this.#plugin.forms.take(object, patched.object, attributes, sentAs);
    const { configuration, name: webhook } = hook;
    const by = JSON.stringify({ configuration, webhook }).slice(1, -1);
    const text = () => `{${by},"patch":${patched.operations()},"patchType":"JSONPatch"}`;
    attributes.annotateBody(this.#notes.patch + place, text);
  }
}

function isEmptyPatch(operations: Buffer): boolean {
  const text = operations.toString('utf8').trim();
  return text === 'null' || /^\[\s*\]$/.test(text);
}

/** Makes the plugin MutatingAdmissionWebhook. */
export const mutatingWebhooks = (context: PluginContext): AdmissionPlugin => new MutatingWebhooks(context);
