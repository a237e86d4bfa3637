import type { UserInfo } from '@orch/authentication';
import { forbidden, StatusError } from '@orch/machinery';
import type { RequestAttributes } from './authorizer.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Escapes parts of the request in the answer, so that no browser takes it for HTML. */
const harmless = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '');

/** 403 for a request that is not allowed, in the words that clients know. `reason` is the authorizer's, or empty. */
export function forbiddenRequest(user: UserInfo, request: RequestAttributes, reason = ''): StatusError {
  const why = harmless(`User ${JSON.stringify(user.name)} cannot ${actionOf(request)}`) + (reason && `: ${reason}`);
  const { isResourceRequest, group, resource, name } = request;
  if (!isResourceRequest) return new StatusError('Forbidden', `forbidden: ${why}`, {});
  return forbidden({ group, resource }, name, why);
}

function actionOf({
  verb,
  isResourceRequest,
  path,
  group,
  resource,
  subresource,
  namespace,
}: RequestAttributes): string {
  if (!isResourceRequest) return `${verb} path ${JSON.stringify(path)}`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
