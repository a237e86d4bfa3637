import type { UserInfo } from '@orch/authentication';
import { formatApiVersion, type Names } from '@orch/machinery';
import type { Authorizer, Decision, RequestAttributes } from '../authorizer.js';

/** Versions of the SubjectAccessReview that a webhook may support. */
export type AccessReviewVersion = 'v1' | 'v1beta1';

/** Verdict of a webhook; plain JSON. */
export interface WebhookVerdict {
  /** Whether the request is allowed. */
  readonly allowed: boolean;
  /** Whether it is denied, whatever others decide. */
  readonly denied: boolean;
  /** Reason; may be empty. */
  readonly reason: string;
}

/** Options of a webhook. */
export interface WebhookAuthorizerOptions {
  /** Name of the review's group. */
  readonly names: Names;
  /** Version of requests and answers. */
  readonly version: AccessReviewVersion;
  /** Sends a review. Rejects when there is no answer after all retries. */
  readonly ask: (review: object) => Promise<Readonly<Record<string, unknown>>>;
  /** Cache of verdicts: returns the one for a list of texts, or finds it. */
  readonly verdicts: { of(parts: readonly string[], find: () => Promise<WebhookVerdict>): Promise<WebhookVerdict> };
}

/** Characters chosen by a caller beyond which its verdict is not cached, so that callers cannot fill the memory. */
const MOST_CHOSEN = 10_000;

/** Asks a webhook with SubjectAccessReviews (mode `Webhook`; apiserver v0.27.16, plugin/pkg/authorizer/webhook). */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { names, version, verdicts } = options;
  const apiVersion = formatApiVersion({ group: names.group('authorization.orch.io'), version });
  return {
    async authorize(user, request) {
      const spec = specOf(user, request, version);
      const find = () => asked(options, apiVersion, spec);
      const isKept = chosenLength(request) < MOST_CHOSEN;
      return decisionOf(isKept ? await verdicts.of([apiVersion, JSON.stringify(spec)], find) : await find());
    },
    rulesFor: async () => ({
      resourceRules: [],
      pathRules: [],
      incomplete: true,
      problems: ['webhook authorizer does not support user rule resolution'],
    }),
  };
}

/** Reads a verdict cached elsewhere; undefined for an invalid one. */
export function readWebhookVerdict(value: unknown): WebhookVerdict | undefined {
  if (!isStatus(value)) return undefined;
  const { allowed, denied, reason } = value;
  if (typeof allowed !== 'boolean' || typeof denied !== 'boolean' || typeof reason !== 'string') return undefined;
  return { allowed, denied, reason };
}

/** Returns the decision; a verdict that is both denied and allowed is denied. */
function decisionOf({ allowed, denied, reason }: WebhookVerdict): Decision {
  if (denied) return { decision: 'deny', reason };
  return { decision: allowed ? 'allow' : 'no-opinion', reason };
}

async function asked({ ask }: WebhookAuthorizerOptions, apiVersion: string, spec: object): Promise<WebhookVerdict> {
  const kind = 'SubjectAccessReview';
  const metadata = { creationTimestamp: null };
  const answer = await ask({ kind, apiVersion, metadata, spec, status: { allowed: false } });
  if (answer.kind !== kind || answer.apiVersion !== apiVersion)
    throw new Error(`the authorization webhook did not answer with a ${kind} of ${apiVersion}`);
  const { allowed, denied, reason } = isStatus(answer.status) ? answer.status : {};
  return {
    allowed: allowed === true,
    denied: denied === true,
    reason: typeof reason === 'string' ? reason : '',
  };
}

interface Status {
  readonly allowed?: unknown;
  readonly denied?: unknown;
  readonly reason?: unknown;
}

const isStatus = (value: unknown): value is Status => typeof value === 'object' && value !== null;

/** Returns the review's spec without empty fields; groups had another name in `v1beta1`. */
function specOf(
  { name, groups, uid, extra }: UserInfo,
  request: RequestAttributes,
  version: AccessReviewVersion,
): object {
  const { isResourceRequest, path, verb, namespace, group, version: of, resource, subresource, name: object } = request;
  const about = isResourceRequest
    ? { resourceAttributes: filled({ namespace, verb, group, version: of, resource, subresource, name: object }) }
    : { nonResourceAttributes: filled({ path, verb }) };
  return {
    ...about,
    ...filled({ user: name }),
    ...(groups.length > 0 && { [version === 'v1' ? 'groups' : 'group']: groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
    ...(uid !== undefined && uid !== '' && { uid }),
  };
}

const filled = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

const chosenLength = ({ namespace, verb, group, version, resource, subresource, name, path }: RequestAttributes) =>
  [namespace, verb, group, version, resource, subresource, name, path].reduce((sum, text) => sum + text.length, 0);
