import { ANONYMOUS, authenticated } from '@orch/authentication';
import { describe, expect, it } from 'vitest';
import { credentialsDecide } from './authorization.js';

const decide = (path: string, user = ANONYMOUS.user) =>
  credentialsDecide.authorize({ user, method: 'GET', path })?.status.code;

describe('credentialsDecide', () => {
  it.each(['/livez', '/readyz', '/healthz', '/livez/postgres', '/version', '/version/'])('shows %s to all', (path) => {
    expect(decide(path)).toBeUndefined();
  });

  it.each(['/', '/api', '/api/v1/pods', '/metrics', '/livezz', '/versions', '/x/livez', '//livez', '/livez\n/api', ''])(
    'hides %j from those without credentials',
    (path) => {
      expect(decide(path)).toBe(403);
    },
  );

  it('lets in who has credentials, unless they say that there are none', () => {
    const jane = authenticated({ name: 'jane', groups: [], extra: {} }, 'token').user;
    expect(decide('/api/v1/pods', jane)).toBeUndefined();
    const nobody = authenticated({ name: 'x', groups: ['system:unauthenticated'], extra: {} }, 'proxy').user;
    expect(decide('/api/v1/pods', nobody)).toBe(403);
  });

  it('says who may not do what', () => {
    const denial = credentialsDecide.authorize({ user: ANONYMOUS.user, method: 'DELETE', path: '/api' });
    expect(denial?.message).toBe('forbidden: User "system:anonymous" cannot delete path "/api"');
  });
});
