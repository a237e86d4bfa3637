import { forbiddenRequest } from '@orch/authorization';
import { badRequest } from '@orch/machinery';
import type { Stage } from './chain.js';

const PREFIX = 'impersonate-';
const USER = 'impersonate-user';

/**
 * Nobody has the right to act as another so far: whoever asks for it is refused. Taking no notice would be to act with the
 * caller's own rights where the client believes that it has less.
 * @throws StatusError 403; 400 where no user is named
 */
export const impersonation: Stage = ({ req: { headers }, user }) => {
  let asked = false;
  for (const header in headers) if (header.startsWith(PREFIX)) asked = true;
  if (!asked) return;
  const name = headers[USER];
  if (typeof name !== 'string' || name === '') throw badRequest('requested impersonation without impersonating a user');
  throw forbiddenRequest(user, { ...IMPERSONATE, name }, 'impersonation is not available');
};

const IMPERSONATE = {
  verb: 'impersonate',
  isResourceRequest: true,
  path: '',
  group: '',
  version: 'v1',
  resource: 'users',
  subresource: '',
  namespace: '',
} as const;
