import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { RequestContext } from '@orch/serving';
import { expect, it } from 'vitest';
import { upgradeHeaders } from './request-headers.js';

it('an upgrade is sent to the host that the client has asked', () => {
  const req = new IncomingMessage(new Socket());
  req.headers = { host: 'api.example:6443', connection: 'Upgrade', upgrade: 'SPDY/3.1', authorization: 'Bearer x' };
  expect(upgradeHeaders({ req } as RequestContext)).toEqual({
    host: 'api.example:6443',
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-forwarded-for': '',
  });
});
