import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import type { Connection } from '../connection.js';

/** A request as the script sees it. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  /** Headers as they came, names and values in turn. */
  readonly raw: readonly string[];
  readonly body: string;
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
}

export type Script = (request: Received, response: ServerResponse) => void;

/** An HTTPS server on loopback that answers what a test says, and keeps what it was asked. */
export class ScriptedServer {
  readonly requests: Received[] = [];
  script: Script = (_request, response) => answer(response, 404, { kind: 'nothing' });

  private constructor(
    readonly server: Server,
    readonly pki: Pki,
    readonly dir: string,
  ) {}

  static async start(): Promise<ScriptedServer> {
    const dir = await mkdtemp(join(tmpdir(), 'client-'));
    const pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'api' } });
    const { cert, key } = pki.serving;
    const server = createServer({ cert, key, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: false });
    const scripted = new ScriptedServer(server, pki, dir);
    server.on('request', (req, res) => void scripted.#serve(req, res));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  get connection(): Connection {
    const { port } = this.server.address() as AddressInfo;
    return { server: `https://127.0.0.1:${port}`, ca: this.pki.ca.cert };
  }

  /** Answers requests one after the other, each with its own script; more requests than that are a 500. */
  sequence(...scripts: readonly Script[]): void {
    const left = [...scripts];
    this.script = (request, response) => {
      const next = left.shift();
      if (next) next(request, response);
      else
        answer(response, 500, { message: `unexpected ${request.method} ${request.url.pathname}${request.url.search}` });
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.dir, { recursive: true });
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req.setEncoding('utf8')) body += chunk;
    const socket = req.socket as import('node:tls').TLSSocket;
    const received: Received = {
      method: req.method ?? '',
      url: new URL(req.url ?? '', 'https://x'),
      headers: req.headers,
      raw: req.rawHeaders,
      body,
      client: socket.getPeerCertificate().subject?.CN as string | undefined,
    };
    this.requests.push(received);
    this.script(received, res);
  }
}

export function answer(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const failure = (code: number, reason: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `because ${reason}`,
  reason,
  ...(details && { details }),
  code,
});

export const thing = (name: string, resourceVersion: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ns', resourceVersion },
  ...more,
});

export const listOf = (resourceVersion: string, items: readonly object[], more: object = {}): Script => {
  return (_request, response) =>
    answer(response, 200, { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion, ...more }, items });
};

export const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

export const bookmark = (resourceVersion: string, annotations?: Record<string, string>): string =>
  event('BOOKMARK', {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: { resourceVersion, ...(annotations && { annotations }) },
  });

/** A watch answer: the pieces in writes of their own, then an orderly end, a cut connection, or silence. */
export const stream = (pieces: readonly string[], ending: 'end' | 'cut' | 'open' = 'end'): Script => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const write = (at: number): void => {
      const piece = pieces[at];
      if (piece !== undefined) response.write(piece, () => setImmediate(write, at + 1));
      else if (ending === 'end') response.end();
      else if (ending === 'cut') response.destroy();
    };
    write(0);
  };
};

export const refuse = (
  code: number,
  reason: string,
  headers: Record<string, string> = {},
  details?: object,
): Script => {
  return (_request, response) => answer(response, code, failure(code, reason, details), headers);
};
