import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuditNotes } from '@orch/audit';
import { ANONYMOUS } from '@orch/authentication';
import { type Authorizer, forbiddenRequest, type RequestAttributes } from '@orch/authorization';
import { type Access, originForm, type RequestContext, splitTarget, type Upgrade } from '../http/context.js';
import { requestIdOf } from '../http/request-id.js';
import { RequestTrail } from '../metrics/request-trail.js';
import { bareRequest } from './request-info.js';

/** A context for the stages of the chain, which set its fields. */
export type OpenContext = { -readonly [Key in keyof RequestContext]: RequestContext[Key] };

/** Creates the context of a request, of which only the target is known. */
export function newContext(req: IncomingMessage, res: ServerResponse, access: Access, upgrade?: Upgrade): OpenContext {
  // Done once, so that authorization and handlers see the same path.
  req.url = originForm(req.url ?? '/');
  const { path, query } = splitTarget(req.url);
  const ctx: OpenContext = {
    req,
    res,
    path,
    query,
    requestId: requestIdOf(req),
    info: bareRequest(req.method ?? 'GET', path),
    authentication: ANONYMOUS,
    user: ANONYMOUS.user,
    warnings: [],
    annotations: new AuditNotes(),
    trail: new RequestTrail(),
    onEnd: [],
    holdBody: () => undefined,
    access,
    authorize: (request) => authorize(access.authorizer, ctx, request),
    ...(upgrade && { upgrade }),
  };
  return ctx;
}

async function authorize(authorizer: Authorizer, { user }: OpenContext, request: RequestAttributes): Promise<void> {
  const { decision, reason } = await authorizer.authorize(user, request);
  if (decision !== 'allow') throw forbiddenRequest(user, request, reason);
}
