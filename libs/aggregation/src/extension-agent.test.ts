import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { ensurePki } from '@orch/authentication';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExtensionAgent } from './extension-agent.js';

const answerOf = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

let certDir: string;
let agent: ExtensionAgent;
let server: Server;
let connections: TLSSocket[];
beforeAll(async () => {
  certDir = await mkdtemp(join(tmpdir(), 'extension-agent-'));
  const { ca, serving } = await ensurePki({ certDir, bindAddress: '127.0.0.1', names: { apiServiceName: 'api' } });
  agent = new ExtensionAgent({ keepAlive: true, ca: ca.cert });
  connections = [];
  server = createServer({ cert: serving.cert, key: serving.key }, (socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (head) => socket.write(answerOf(/\/(\w*)/.exec(String(head))?.[1] ?? '')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  agent.destroy();
  server.close();
  await rm(certDir, { recursive: true });
});

async function ask(path: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const asking = request({ host: '127.0.0.1', port, servername: 'api.default.svc', agent, path }).end();
  const [answer] = await once(asking, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text;
}

it('keeps a connection, but for one on which something was said that nobody asked', async () => {
  expect([await ask('/one'), await ask('/two'), connections.length]).toEqual(['one', 'two', 1]);
  const [first] = connections;
  const closed = once(first as TLSSocket, 'close');
  first?.write(answerOf('unasked'));
  await closed;
  expect([await ask('/three'), await ask('/four'), connections.length]).toEqual(['three', 'four', 2]);
});
