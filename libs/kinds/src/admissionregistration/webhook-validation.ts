import { dnsSubdomainErrors, duplicate, type FieldError, invalidValue, required } from '@orch/machinery';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@orch/schema/types/admissionregistration/v1';
import { isOneOf } from '../rules/checks.js';
import { hasStrangeValue, validateLabelSelector } from '../rules/label-selector.js';
import { each } from '../rules/lists.js';
import {
  isReviewed,
  SOME_REVIEW_VERSION,
  validateReviewVersions,
  validateWebhookClient,
} from '../rules/webhook-client.js';
import { equal } from '../values/equal.js';
import { areShort, validateMatchConditions } from './match-conditions.js';
import { validateRule } from './rule-validation.js';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, 'Some', 'Unknown'];
const MAX_SECONDS = 30;

/** The strictness of the rules of webhooks; less for those that were stored when less was asked. */
interface Strictness {
  readonly sideEffects: readonly string[];
  readonly reviewed: boolean;
  readonly uniqueNames: boolean;
  readonly lenientSelectors: boolean;
  readonly conditions: boolean;
}

/** A webhook of either sort; only the mutating ones have a policy of reinvocation, and the others lose it when they are read. */
type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

/** Validating and mutating configurations. `old` is the stored one, in an update. */
export function validateWebhooks(
  object: ValidatingWebhookConfiguration | MutatingWebhookConfiguration,
  old?: ValidatingWebhookConfiguration | MutatingWebhookConfiguration,
): FieldError[] {
  const webhooks: readonly Webhook[] = object.webhooks ?? [];
  const strict = strictness(webhooks, old?.webhooks ?? []);
  const short = areShort(webhooks.flatMap((webhook) => webhook.matchConditions ?? []));
  const names = new Set<string>();
  return each(webhooks, 'webhooks', (webhook, path) => {
    const name = webhook.name ?? '';
    const again = strict.uniqueNames && name !== '' && names.has(name);
    names.add(name);
    return [
      ...validateWebhook(webhook, path, strict, short),
      ...validateReviewVersions(
        webhook.admissionReviewVersions ?? [],
        `${path}.admissionReviewVersions`,
        SOME_REVIEW_VERSION,
        strict.reviewed,
      ),
      ...(again ? [duplicate(`${path}.name`, name)] : []),
    ];
  });
}

function strictness(webhooks: readonly Webhook[], olds: readonly Webhook[]): Strictness {
  const names = olds.map((webhook) => webhook.name ?? '');
  const sameConditions =
    webhooks.length === olds.length &&
    webhooks.every(({ matchConditions }, index) => equal(matchConditions, olds[index]?.matchConditions));
  return {
    sideEffects: olds.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(String(sideEffects)))
      ? NO_SIDE_EFFECTS
      : SIDE_EFFECTS,
    reviewed: olds.every((webhook) => {
      const versions = webhook.admissionReviewVersions ?? [];
      return versions.length === 0 || isReviewed(versions);
    }),
    uniqueNames: new Set(names).size === names.length,
    lenientSelectors: olds.some((webhook) => SELECTORS.some((name) => hasStrangeValue(webhook[name]))),
    conditions: olds.length === 0 || !sameConditions,
  };
}

const SELECTORS = ['namespaceSelector', 'objectSelector'] as const;

function validateWebhook(webhook: Webhook, path: string, strict: Strictness, short: boolean): FieldError[] {
  const { sideEffects } = webhook;
  const seconds = webhook.timeoutSeconds;
  const late = seconds !== undefined && (seconds < 1 || seconds > MAX_SECONDS);
  const field = `${path}.timeoutSeconds`;
  return [
    ...validateName(webhook.name ?? '', `${path}.name`),
    ...each(webhook.rules ?? [], `${path}.rules`, validateRule),
    ...isOneOf(`${path}.failurePolicy`, webhook.failurePolicy, FAILURE_POLICIES),
    ...isOneOf(`${path}.matchPolicy`, webhook.matchPolicy, MATCH_POLICIES),
    ...(typeof sideEffects === 'string'
      ? isOneOf(`${path}.sideEffects`, sideEffects, strict.sideEffects)
      : [required(`${path}.sideEffects`, `must specify one of ${strict.sideEffects.join(', ')}`)]),
    ...(late ? [invalidValue(field, seconds, `the timeout value must be between 1 and ${MAX_SECONDS} seconds`)] : []),
    ...SELECTORS.flatMap((name) => validateLabelSelector(webhook[name], `${path}.${name}`, strict.lenientSelectors)),
    ...isOneOf(`${path}.reinvocationPolicy`, webhook.reinvocationPolicy, REINVOCATION_POLICIES),
    ...validateWebhookClient(webhook.clientConfig ?? {}, `${path}.clientConfig`),
    ...(strict.conditions
      ? validateMatchConditions(webhook.matchConditions ?? [], `${path}.matchConditions`, false, short)
      : []),
  ];
}

/** Names of webhooks are domains of at least three labels. */
function validateName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const errors = dnsSubdomainErrors(name);
  if (errors.length > 0) return [invalidValue(field, name, errors.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')];
}
