import type { Environment } from '@orch/expressions';
import type { ApiObject, LabelSelectorObject } from '@orch/machinery';
import type { WebhookClientConfig } from '@orch/webhooks';
import { Conditions, type MatchCondition } from '../matching/conditions.js';
import { Matcher } from '../matching/match.js';
import type { Rule } from '../matching/rules.js';

/** One entry of a webhook configuration, as it is stored. */
interface StoredWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** Seconds that a webhook has whose configuration says none. */
const DEFAULT_TIMEOUT_S = 10;

/** A webhook, and what is made of its configuration once. */
export class Hook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly ignoresFailure: boolean;
  readonly timeoutMs: number;
  readonly sideEffects: string | undefined;
  readonly reviewVersions: readonly string[];
  readonly isReinvocable: boolean;
  readonly matcher: Matcher;
  readonly #conditions: readonly MatchCondition[];
  #compiled: Conditions | undefined;

  /**
   * @param configuration name of the object that it stands in
   * @param id unique among all of its phase
   * @param index among all of its phase, by which annotations name it
   */
  constructor(
    stored: StoredWebhook,
    readonly configuration: string,
    readonly id: string,
    readonly index: number,
    private readonly environment: Environment,
  ) {
    this.name = stored.name;
    this.clientConfig = stored.clientConfig;
    this.ignoresFailure = stored.failurePolicy === 'Ignore';
    this.timeoutMs = (stored.timeoutSeconds ?? DEFAULT_TIMEOUT_S) * 1000;
    this.sideEffects = stored.sideEffects;
    this.reviewVersions = stored.admissionReviewVersions ?? [];
    this.isReinvocable = stored.reinvocationPolicy === 'IfNeeded';
    this.matcher = new Matcher({
      rules: stored.rules ?? [],
      matchPolicy: stored.matchPolicy === 'Equivalent' ? 'Equivalent' : 'Exact',
      namespaceSelector: stored.namespaceSelector,
      objectSelector: stored.objectSelector,
    });
    this.#conditions = stored.matchConditions ?? [];
  }

  /** Compiled when they are first needed. */
  get conditions(): Conditions {
    this.#compiled ??= new Conditions(this.#conditions, this.environment);
    return this.#compiled;
  }

  /** Whether it may be asked about what leaves nothing behind. */
  get allowsDryRun(): boolean {
    return this.sideEffects === 'None' || this.sideEffects === 'NoneOnDryRun';
  }
}

/** Makes the webhooks of all configurations, by the names of these. Those of a configuration that stayed the same are not made anew. */
export class Hooks {
  #made = new Map<ApiObject, readonly Hook[]>();

  constructor(private readonly environment: Environment) {}

  of(configurations: Iterable<ApiObject>): readonly Hook[] {
    const sorted = [...configurations].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const made = new Map<ApiObject, readonly Hook[]>();
    const all: Hook[] = [];
    for (const configuration of sorted) {
      const before = this.#made.get(configuration);
      const hooks = before?.[0]?.index === all.length ? before : this.#make(configuration, all.length);
      made.set(configuration, hooks);
      all.push(...hooks);
    }
    this.#made = made;
    return all;
  }

  #make(configuration: ApiObject, from: number): readonly Hook[] {
    const webhooks = (configuration.webhooks ?? []) as unknown as readonly StoredWebhook[];
    const name = nameOf(configuration);
    const times = new Map<string, number>();
    return webhooks.map((webhook, at) => {
      const nth = times.get(webhook.name) ?? 0;
      times.set(webhook.name, nth + 1);
      return new Hook(webhook, name, `${name}/${webhook.name}/${nth}`, from + at, this.environment);
    });
  }
}

const nameOf = ({ metadata }: ApiObject): string => metadata?.name ?? '';
