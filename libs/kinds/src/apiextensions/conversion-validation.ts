import { type FieldError, forbiddenField, required } from '@orch/machinery';
import type { CustomResourceConversion } from '@orch/schema/types/apiextensions/v1';
import { oneOf } from '../rules/checks.js';
import { isReviewed, validateReviewVersions, validateWebhookClient } from '../rules/webhook-client.js';

const CLIENT = 'spec.conversion.webhookClientConfig';
const REVIEWS = 'spec.conversion.conversionReviewVersions';

/**
 * How objects get from one version to another. Messages name fields as clients know them, from before `webhook` held them.
 * @param old in an update, the conversion as it is stored: what it does not know of reviews may stay unknown
 */
export function validateConversion(
  conversion: CustomResourceConversion | undefined,
  old?: CustomResourceConversion,
): FieldError[] {
  if (!conversion) return [];
  const strategy = oneOf('spec.conversion.strategy', conversion.strategy, ['None', 'Webhook']);
  const client = conversion.webhook?.clientConfig;
  const versions = conversion.webhook?.conversionReviewVersions ?? [];
  if (conversion.strategy === 'Webhook') {
    const missing = required(CLIENT, 'required when strategy is set to Webhook');
    return [
      ...(client ? validateWebhookClient(client, CLIENT) : [missing]),
      ...validateReviewVersions(versions, REVIEWS, '', !knowsNoReview(old)),
    ];
  }
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...strategy,
    ...(client ? [forbiddenField(CLIENT, why)] : []),
    ...(versions.length > 0 ? [forbiddenField(REVIEWS, why)] : []),
  ];
}

function knowsNoReview(conversion: CustomResourceConversion | undefined): boolean {
  const versions = conversion?.webhook?.conversionReviewVersions ?? [];
  return versions.length > 0 && !isReviewed(versions);
}
