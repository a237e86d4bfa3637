import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DocumentReader, type DocumentReaderSettings } from './document-reader.js';
import { answer, ScriptedServer } from './testing/scripted-server.js';

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
});

async function read(settings: DocumentReaderSettings = {}, url = `${server.connection.server}/a?b=c`, token?: string) {
  const reader = new DocumentReader({ ca: server.pki.ca.cert, ...settings });
  try {
    return (await reader.read(url, token)).toString();
  } finally {
    await reader.close();
  }
}

it('a document is read whole, with the token that is given for it', async () => {
  server.script = (_, response) => response.end('{"a":1}');
  expect(await read()).toBe('{"a":1}');
  await read({}, undefined, 't');
  expect(
    server.requests.map(({ method, url, headers }) => [method, url.pathname + url.search, headers.authorization]),
  ).toEqual([
    ['GET', '/a?b=c', undefined],
    ['GET', '/a?b=c', 'Bearer t'],
  ]);
});

it.each([301, 302, 307, 308])('nobody follows a %d', async (code) => {
  server.script = (_, response) => {
    response.setHeader('location', `${server.connection.server}/elsewhere`);
    answer(response, code, {});
  };
  await expect(read()).rejects.toThrow(`the server answered ${code}`);
  expect(server.requests).toHaveLength(1);
});

it('what is too long, too slow, not trusted, not there or not asked for securely is not read', async () => {
  server.script = (_, response) => response.end('x'.repeat(2_000));
  await expect(read({ maxBytes: 1_000 })).rejects.toThrow(/GET "https/);
  server.script = (_, response) => {
    const drip = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(drip));
  };
  await expect(read({ timeoutMs: 60 })).rejects.toThrow('no answer within 60 ms');
  await expect(read({ ca: server.pki.proxyCa.cert })).rejects.toThrow(/certificate/);
  await expect(read({}, 'https://127.0.0.1:1/')).rejects.toThrow('ECONNREFUSED');
  await expect(read({}, server.connection.server.replace('https', 'http'))).rejects.toThrow('only https is read');
  for (const url of ['file:///etc/passwd', 'data:,x', 'no']) await expect(read({}, url)).rejects.toThrow();
});
