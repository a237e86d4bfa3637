import type { Attributes } from '../attributes.js';
import { EvaluationTurns } from '../matching/evaluation-turns.js';
import type { AdmissionPlugin, PluginContext } from '../plugin.js';
import { outOfTime } from './refusals.js';
import { type Matched, WebhookPlugin } from './webhook-plugin.js';

/** ValidatingAdmissionWebhook: asks the webhooks of ValidatingWebhookConfigurations, all at the same time. */
class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';
  readonly callsOut = true;
  readonly admitsConnections = true;
  readonly readsOnly = true;
  readonly #plugin: WebhookPlugin;
  readonly #failedOpen: string;

  constructor(context: PluginContext) {
    this.#plugin = new WebhookPlugin({ type: 'validating', resource: 'validatingwebhookconfigurations' }, context);
    this.#failedOpen = `${context.names.group('failed-open.validating.webhook.admission.orch.io')}/`;
  }

  handles(target: Parameters<AdmissionPlugin['handles']>[0]): boolean {
    return this.#plugin.handles(target);
  }

  async validate(attributes: Attributes): Promise<void> {
    const matched: Matched[] = [];
    const turns = new EvaluationTurns();
    for (const hook of this.#plugin.hooks(attributes)) {
      const found = await this.#plugin.match(hook, attributes, turns);
      if (found) matched.push(found);
    }
    if (matched.length === 0) return;
    if (performance.now() >= attributes.deadline) throw outOfTime();
    // All answers are awaited: each may have warnings and annotations, even if another webhook refuses first.
    const refusals: unknown[] = [];
    await Promise.all(
      matched.map((each, at) => this.#ask(each, attributes, at).catch((refusal: unknown) => refusals.push(refusal))),
    );
    if (refusals.length > 0) throw refusals[0];
  }

  async #ask(matched: Matched, attributes: Attributes, at: number): Promise<void> {
    const key = `${this.#failedOpen}round_0_index_${at}`;
    await this.#plugin.caller.call({ ...matched, attributes }, key, () => undefined);
  }
}

/** ValidatingAdmissionWebhook. */
export const validatingWebhooks = (context: PluginContext): AdmissionPlugin => new ValidatingWebhooks(context);
