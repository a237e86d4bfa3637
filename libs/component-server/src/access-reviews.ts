import { type Authorizer, webhookAuthorizer } from '@orch/authorization';
import type { ApiObject } from '@orch/machinery';
import { VerdictCache } from '@orch/webhooks';
import type { ReviewSettings } from './token-reviews.js';

/** Settings of {@link accessReviews}. */
interface AccessReviewSettings extends Pick<ReviewSettings, 'client' | 'names'> {
  /** Milliseconds that an answer that allows is kept. */
  readonly allowedMs: number;
  /** Milliseconds that any other answer is kept. */
  readonly otherMs: number;
}

/** Asks the API what a user may do (spec: SubjectAccessReview). */
export function accessReviews({ client, names, allowedMs, otherMs }: AccessReviewSettings): Authorizer {
  const group = names.group('authorization.orch.io');
  const ref = { group, version: 'v1', resource: 'subjectaccessreviews' };
  return webhookAuthorizer({
    ...{ names, version: 'v1' },
    ask: async (review) => (await client.create(ref, review as ApiObject)) as Readonly<Record<string, unknown>>,
    verdicts: new VerdictCache({ keptFor: ({ allowed }) => (allowed ? allowedMs : otherMs) }),
  });
}
