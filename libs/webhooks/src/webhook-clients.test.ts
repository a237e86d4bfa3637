import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { ensurePki, type Pki } from '@orch/authentication';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebhookClients, WebhookError, type WebhookSettings } from './index.js';

let dir: string;
let pki: Pki;
let server: Server;
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let connections = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'webhooks-'));
  // Its serving certificate bears the name of a service, `hooks.default.svc` among others.
  pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'hooks' } });
  const { cert, key } = pki.serving;
  server = createServer({ cert, key, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: false });
  server.on('secureConnection', () => void connections++);
  server.on('request', (request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  connections = 0;
  answer = (_request, response) => void response.end('{}');
});

const CALL = { body: '{}', timeoutMs: 10_000 };
const caBundle = () => Buffer.from(pki.ca.cert).toString('base64');
const service = { namespace: 'default', name: 'hooks', path: '/convert' };

async function withClients<T>(
  settings: Partial<WebhookSettings>,
  use: (clients: WebhookClients) => Promise<T>,
): Promise<T> {
  const clients = new WebhookClients({ addressOf: async () => ({ host: '127.0.0.1', port }), ...settings });
  try {
    return await use(clients);
  } finally {
    await clients.close();
  }
}

/** What a call ends in. */
const failure = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error('did not fail'),
    (error: Error) => error,
  );

describe('a webhook behind a service', () => {
  it('is asked where the service is, and must bear its name', async () => {
    const asked: unknown[] = [];
    const seen: [string | undefined, string | undefined, string | false | null][] = [];
    answer = (request, response) => {
      seen.push([request.url, request.headers.host, (request.socket as TLSSocket).servername]);
      request.pipe(response);
    };
    const addressOf = async (wanted: unknown) => {
      asked.push(wanted);
      return { host: '127.0.0.1', port };
    };
    const body = await withClients({ addressOf }, (clients) =>
      clients.post({ service, caBundle: caBundle() }, { ...CALL, body: '{"a":1}', sendsTimeout: true }),
    );
    expect(body.toString()).toBe('{"a":1}');
    expect(asked).toEqual([{ namespace: 'default', name: 'hooks', port: 443 }]);
    expect(seen).toEqual([['/convert?timeout=10s', 'hooks.default.svc', 'hooks.default.svc']]);
  });

  it('of another name is not spoken to', async () => {
    const other = { ...service, name: 'others' };
    const error = await withClients({}, (clients) =>
      failure(clients.post({ service: other, caBundle: caBundle() }, CALL)),
    );
    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toContain('https://others.default.svc:443/convert');
    expect(error.message).toMatch(/altnames/);
  });

  it('that is not there says so', async () => {
    const addressOf = () => Promise.reject(new Error('no endpoints available for service "hooks"'));
    const error = await withClients({ addressOf }, (clients) => failure(clients.post({ service }, CALL)));
    expect(error.message).toContain('no endpoints available for service "hooks"');
  });
});

describe('a webhook with a URL', () => {
  const url = () => `https://127.0.0.1:${port}/x`;

  it('is not spoken to without a certificate that is trusted', async () => {
    const error = await withClients({}, (clients) => failure(clients.post({ url: url() }, CALL)));
    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toMatch(/certificate/);
  });

  it('is shown the certificate of the server, if there is one', async () => {
    const { cert, key } = pki.admin;
    answer = (request, response) =>
      void response.end(JSON.stringify((request.socket as TLSSocket).getPeerCertificate().subject?.O));
    const body = await withClients({ credentials: () => ({ cert, key }) }, (clients) =>
      clients.post({ url: url(), caBundle: caBundle() }, CALL),
    );
    expect(JSON.parse(body.toString())).toBe('system:masters');
  });

  it('is shown another certificate as soon as there is another', async () => {
    answer = (request, response) =>
      void response.end(JSON.stringify((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'none'));
    const shown: (Pick<Pki['admin'], 'cert' | 'key'> | undefined)[] = [pki.admin, pki.admin, pki.proxy, undefined];
    let call = 0;
    const names = await withClients({ credentials: () => shown[call] }, async (clients) => {
      const seen: unknown[] = [];
      for (; call < shown.length; call++) {
        const body = await clients.post({ url: url(), caBundle: caBundle() }, CALL);
        seen.push(JSON.parse(body.toString()));
      }
      return seen;
    });
    expect(names).toEqual(['admin', 'admin', 'front-proxy-client', 'none']);
  });

  it('keeps its connections', async () => {
    await withClients({}, async (clients) => {
      for (let call = 0; call < 20; call++) await clients.post({ url: url(), caBundle: caBundle() }, CALL);
    });
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('is forgotten when too many others were called since, and its calls in flight go on', async () => {
    let hold = (_response: ServerResponse): void => {};
    const held = new Promise<ServerResponse>((resolve) => {
      hold = resolve;
    });
    answer = (request, response) => {
      if (request.url === '/slow') hold(response);
      else response.end('{}');
    };
    await withClients({ maxClients: 1 }, async (clients) => {
      const slow = clients.post({ url: `https://127.0.0.1:${port}/slow`, caBundle: caBundle() }, CALL);
      const response = await held;
      await clients.post({ url: `https://localhost:${port}/`, caBundle: caBundle() }, CALL);
      response.end('late');
      expect((await slow).toString()).toBe('late');
    });
  });

  it.each([
    [500, '{"kind":"Status","code":500,"message":"broken"}', 'broken'],
    [404, 'nothing here', 'nothing here'],
    [302, '', 'the server answered 302'],
  ])('that answers %d has failed', async (status, body, message) => {
    answer = (_request, response) => void response.writeHead(status, { location: '/elsewhere' }).end(body);
    const error = await withClients({}, (clients) => failure(clients.post({ url: url(), caBundle: caBundle() }, CALL)));
    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toContain(message);
  });

  /** Calls a webhook of which one path leads to another; returns what came to be called, with the length of the body. */
  async function redirected(code: number, location: string, path = '/x'): Promise<{ seen: string[]; error: Error }> {
    const seen: string[] = [];
    answer = async (request, response) => {
      let bytes = 0;
      for await (const chunk of request) bytes += (chunk as Buffer).length;
      seen.push(`${request.method} ${request.url} ${bytes}`);
      if (request.url?.startsWith('/x')) response.writeHead(code, { location }).end();
      else response.end('{}');
    };
    const config = { url: `https://127.0.0.1:${port}${path}`, caBundle: caBundle() };
    const error = await withClients({}, (clients) => failure(clients.post(config, { ...CALL, sendsTimeout: true })));
    return { seen, error };
  }

  it('is called at its path as clients of Go clean it', async () => {
    expect((await redirected(200, '', '//a/b%2Fc/')).seen).toEqual(['POST /a/b/c?timeout=10s 2']);
  });

  it.each([307, 308])('is followed where it says %d and stays the same server', async (code) => {
    const { seen, error } = await redirected(code, '/there?a=b');
    expect(seen).toEqual(['POST /x?timeout=10s 2', 'POST /there?a=b 2']);
    expect(error.message).toBe('did not fail');
  });

  it('is not followed to another server, though its certificate is the same', async () => {
    const { seen, error } = await redirected(307, `https://localhost:${port}/there`);
    expect(seen).toEqual(['POST /x?timeout=10s 2']);
    expect(error).toBeInstanceOf(WebhookError);
    expect(error.message).toContain('the server answered 307');
  });

  it('is called ten times at most where it leads nowhere', async () => {
    const { seen, error } = await redirected(307, '/x');
    expect(seen).toHaveLength(10);
    expect(error).toBeInstanceOf(WebhookError);
  });

  it('may not answer with more than is taken', async () => {
    answer = (_request, response) => void response.end(Buffer.alloc(2_000));
    const error = await withClients({ maxAnswerBytes: 1_000 }, (clients) =>
      failure(clients.post({ url: url(), caBundle: caBundle() }, CALL)),
    );
    expect(error).toBeInstanceOf(WebhookError);
  });

  it('that does not answer is given up after its time, or when the caller is', async () => {
    answer = () => {};
    const given = new AbortController();
    await withClients({}, async (clients) => {
      const config = { url: url(), caBundle: caBundle() };
      expect((await failure(clients.post(config, { ...CALL, timeoutMs: 50 }))).message).toContain(
        'context deadline exceeded',
      );
      const call = failure(clients.post(config, { ...CALL, signal: given.signal }));
      given.abort(new Error('gone'));
      expect((await call).message).toBe('gone');
    });
  });

  it.each([{}, { url: 'no url' }])('is none: %j', async (config) => {
    expect(await withClients({}, (clients) => failure(clients.post(config, CALL)))).toBeInstanceOf(WebhookError);
  });
});
