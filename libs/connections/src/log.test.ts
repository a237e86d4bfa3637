import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { RequestContext } from '@orch/serving';
import { expect, it } from 'vitest';
import type { AgentConnector } from './agent-connector.js';
import { passLog } from './log.js';

const BACKEND = { serves: 'agent', secure: true, host: '10.0.0.1', port: 10_250, path: '/a/b' } as const;

const metrics = { wanted: () => undefined, unverified: () => undefined };

it.each([
  ['https://elsewhere/', 'https://elsewhere/'],
  ['c', 'https://10.0.0.1:10250/a/c'],
  ['http://[', 'http://['],
  ['//:x', '//:x'],
])('refuses a redirect to %s', async (location, told) => {
  const message = new IncomingMessage(new Socket());
  Object.assign(message, { statusCode: 302, headers: { location } });
  const connector: Pick<AgentConnector, 'get'> = { get: async () => message };
  const about = { resource: 'pods/log', name: 'p' };
  const source = { connector: connector as AgentConnector, metrics, unreadMs: 0 };
  const passing = passLog({} as RequestContext, source, BACKEND, about);
  await expect(passing).rejects.toMatchObject({ code: 500, message: `Get "${told}": redirects forbidden` });
});
