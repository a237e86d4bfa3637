import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import type { RequestContext } from '../http/context.js';
import { passOn } from './pass-on.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function answerOf(handler: Parameters<typeof createServer>[1]): Promise<IncomingMessage> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const asking = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return answer;
}

it('sends the head of an answer, and does not keep it', async () => {
  let passed: IncomingMessage | undefined;
  const answer = await answerOf(async (req, res) => {
    passed = await answerOf((_req, of) => of.setHeader('X-Own', '1').end('body'));
    passOn({ req, res } as RequestContext, passed);
  });
  expect(answer.headers['x-own']).toBe('1');
  expect(await text(answer)).toBe('body');
  expect(passed?.rawHeaders).toEqual([]);
  expect(passed?.headers).toEqual({});
});
