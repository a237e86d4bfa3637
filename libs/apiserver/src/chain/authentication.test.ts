import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticated } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { expect, test } from 'vitest';
import { contextOf } from '../testing/test-server.js';
import { authentication } from './authentication.js';

test('what there is to be told of a credential stands in the audit log', async () => {
  const user = { name: 'robot', groups: [], extra: {} };
  const annotations = { 'authentication.k8s.io/stale-token': 'subject: robot, seconds after warning threshold: 7' };
  const authenticate = async () => ({ ...authenticated(user, 'token'), annotations });
  const req = { method: 'GET', url: '/api', headers: {}, rawHeaders: [], socket: {} } as unknown as IncomingMessage;
  const ctx = contextOf(req, {} as ServerResponse);
  const settings = { authenticator: { authenticate }, names: namesOf('kubernetes'), logger: silentLogger };
  await authentication(settings)(ctx);
  expect(Object.fromEntries(ctx.annotations)).toEqual(annotations);
  expect(ctx.user.name).toBe('robot');
});
