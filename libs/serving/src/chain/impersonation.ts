import {
  asksToImpersonate,
  IMPERSONATE_PREFIX,
  type Impersonation,
  impersonated,
  impersonationOf,
} from '@orch/authentication';
import { forbiddenRequest, type RequestAttributes } from '@orch/authorization';
import type { Names } from '@orch/machinery';
import type { ChainStage } from './chain.js';
import type { OpenContext } from './new-context.js';

/**
 * Impersonates another user on request (spec: "Impersonation"), once each value has been granted to the real caller.
 * From here on the request is that of the other user, and its impersonation headers are gone; `authentication` keeps
 * the real caller.
 * @param maxValues limit of a request's values
 * @throws StatusError 403 for a value that is not granted; 400 for an invalid request
 */
export function impersonation(names: Names, maxValues: number): ChainStage {
  const group = names.group('authentication.orch.io');
  return (ctx) => {
    if (!asksToImpersonate(ctx.req.headers)) return undefined;
    const asked = impersonationOf(ctx.req.rawHeaders, maxValues);
    return actAs(ctx, asked, [...attributesOf(asked, group)]);
  };
}

async function actAs(ctx: OpenContext, asked: Impersonation, rights: readonly RequestAttributes[]): Promise<void> {
  for (const right of rights) await requireRight(ctx, right);
  ctx.user = impersonated(asked);
  ctx.impersonating = rights;
  const { headers } = ctx.req;
  for (const name of Object.keys(headers)) if (name.startsWith(IMPERSONATE_PREFIX)) delete headers[name];
}

async function requireRight({ access, user }: OpenContext, right: RequestAttributes): Promise<void> {
  // An authorizer that fails has not granted the permission, as in the reference (`WithImpersonation`).
  const denied = { decision: 'no-opinion', reason: '' } as const;
  const { decision, reason } = await access.authorizer.authorize(user, right).catch(() => denied);
  if (decision !== 'allow') throw forbiddenRequest(user, right, reason);
}

/**
 * Yields the permissions that the caller needs for an impersonation, in the order in which the reference checks them.
 */
function* attributesOf(
  { name, serviceAccount, groups, extra, uid }: Impersonation,
  group: string,
): Generator<RequestAttributes> {
  if (serviceAccount) yield { ...IMPERSONATE, ...serviceAccount, resource: 'serviceaccounts' };
  else yield { ...IMPERSONATE, resource: 'users', name };
  for (const each of groups) yield { ...IMPERSONATE, resource: 'groups', name: each };
  const ofAuthentication = { ...IMPERSONATE, group, version: 'v1' };
  for (const [key, values] of extra)
    for (const value of values) yield { ...ofAuthentication, resource: 'userextras', subresource: key, name: value };
  if (uid !== undefined) yield { ...ofAuthentication, resource: 'uids', name: uid };
}

const IMPERSONATE = {
  verb: 'impersonate',
  isResourceRequest: true,
  path: '',
  group: '',
  version: '',
  subresource: '',
  namespace: '',
} as const;
