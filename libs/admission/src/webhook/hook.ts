import type { Environment } from '@orch/expressions';
import type { ApiObject, LabelSelectorObject } from '@orch/machinery';
import type { WebhookClientConfig } from '@orch/webhooks';
import { Conditions, type MatchCondition } from '../matching/conditions.js';
import { Matcher } from '../matching/match.js';
import type { Rule } from '../matching/rules.js';

/** An entry of a webhook configuration, as it is stored. */
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

/** Default timeout of a webhook, seconds. */
const DEFAULT_TIMEOUT_S = 10;

/** A webhook in prepared form, made once from its configuration. */
export class Hook {
  /** Name of the webhook, which need not be unique. */
  readonly name: string;
  /** How it is reached. */
  readonly clientConfig: WebhookClientConfig;
  /** Whether its failure policy is `Ignore`. */
  readonly ignoresFailure: boolean;
  /** Time that a call may take, milliseconds. */
  readonly timeoutMs: number;
  /** Its declared side effects. */
  readonly sideEffects: string | undefined;
  /** Versions of reviews that it accepts, by preference. */
  readonly reviewVersions: readonly string[];
  /** Whether its reinvocation policy is `IfNeeded`. */
  readonly isReinvocable: boolean;
  /** Matches requests by its rules and selectors. */
  readonly matcher: Matcher;
  readonly #conditions: readonly MatchCondition[];
  #compiled: Conditions | undefined;

  /**
   * @param configuration name of the configuration object that holds it
   * @param id unique among all webhooks of its phase
   * @param index index among all webhooks of its phase, which annotations contain
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

  /** Match conditions; they are compiled when first needed. */
  get conditions(): Conditions {
    this.#compiled ??= new Conditions(this.#conditions, this.environment);
    return this.#compiled;
  }

  /** Whether it may be called for a dry run. */
  get allowsDryRun(): boolean {
    return this.sideEffects === 'None' || this.sideEffects === 'NoneOnDryRun';
  }
}

/**
 * Makes the webhooks of all configurations, sorted by the names of these. Those of unchanged configurations are reused.
 */
export class Hooks {
  #made = new Map<ApiObject, readonly Hook[]>();

  constructor(private readonly environment: Environment) {}

  /** Returns the webhooks of all configurations, in the order in which they are called. */
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
