import { type Authorizer, readWebhookVerdict, type WebhookVerdict, webhookAuthorizer } from '@orch/authorization';
import { readKubeconfig } from '@orch/client';
import type { Names } from '@orch/machinery';
import { ReviewWebhook, type SharedVerdicts, VerdictCache } from '@orch/webhooks';
import type { AuthorizationOptions } from './authorization-options.js';

interface AuthorizationWebhookSettings {
  readonly names: Names;
  readonly options: AuthorizationOptions;
  /** Cache of verdicts that is shared with other processes; undefined for none. */
  readonly shared: SharedVerdicts | undefined;
  /** Called after each call of the webhook. */
  readonly onReview?: ((failed: boolean) => void) | undefined;
}

/** Verdicts that are kept here. */
const MOST_VERDICTS = 8192;

/** The webhook of `--authorization-webhook-config-file`. */
export interface AuthorizationWebhook {
  /** Decides by calls of the webhook, and caches its verdicts. */
  readonly authorizer: Authorizer;
  /** Aborts calls in progress. */
  close(): Promise<void>;
}

/** @throws KubeconfigError */
export async function openAuthorizationWebhook(
  file: string,
  { names, options, shared, onReview }: AuthorizationWebhookSettings,
): Promise<AuthorizationWebhook> {
  const connection = await readKubeconfig(file);
  const webhook = new ReviewWebhook({ connection, ...(onReview && { onReview }) });
  const kept = new VerdictCache<WebhookVerdict>({
    keptFor: ({ allowed }) =>
      allowed ? options.authorizationWebhookCacheAuthorizedTtl : options.authorizationWebhookCacheUnauthorizedTtl,
    most: MOST_VERDICTS,
    read: readWebhookVerdict,
    ...(shared && { shared }),
  });
  const { origin, pathname } = new URL(connection.server);
  const authorizer = webhookAuthorizer({
    names,
    version: options.authorizationWebhookVersion === 'v1' ? 'v1' : 'v1beta1',
    ask: (review) => webhook.ask(review),
    // The origin and path keep verdicts of this webhook apart from those of others in the shared cache.
    verdicts: { of: (parts, find) => kept.of(['access', origin + pathname, ...parts], find) },
  });
  return { authorizer, close: () => webhook.close() };
}
