import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { CLIENT_CERTIFICATE_OPTIONS } from '@orch/authentication';
import { NAME_LENGTH, NAME_START } from '../samples.js';
import { Batches, type FloorAction } from './batches.js';
import { FloorDatabase } from './database.js';

export interface FloorSettings {
  /** TCP port on 127.0.0.1; 0 for any. */
  readonly port: number;
  /** Folder of the database. */
  readonly dataDir: string;
  /** Certificate and key, PEM. */
  readonly tls: { readonly cert: string; readonly key: string };
}

/** Sizes of answers in bytes, those of the server that is measured. */
export interface FloorShape {
  /** Answers to writes, and to gets of what they wrote. */
  readonly answer?: number;
  readonly list?: number;
}

const ACTIONS: Readonly<Record<string, FloorAction>> = { POST: 1, PUT: 3, DELETE: 5 };

/**
 * What the machine, Node, TLS and PostgreSQL cost alone: reads requests, commits their bodies as opaque bytes in batches,
 * and answers as many bytes as the server does. It parses, checks and decides nothing.
 */
export class FloorServer {
  readonly #batches: Batches;
  readonly #answers = new Map<string, Buffer>();
  #filling = Buffer.alloc(0);
  #list = Buffer.alloc(0);

  private constructor(
    readonly database: FloorDatabase,
    private readonly server: Server,
  ) {
    this.#batches = new Batches((writes) => database.commit(writes));
    server.on('request', (request, response) => this.#handle(request, response));
  }

  static async start({ port, dataDir, tls }: FloorSettings): Promise<FloorServer> {
    const database = await FloorDatabase.start(dataDir);
    const server = createServer({
      ...{ minVersion: 'TLSv1.2', ...tls, ...CLIENT_CERTIFICATE_OPTIONS },
      ...{ noDelay: true, keepAlive: true },
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new FloorServer(database, server);
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('not a TCP address');
    return address.port;
  }

  /** Sets the sizes of what is answered from now on. */
  shape({ answer, list }: FloorShape): void {
    if (answer !== undefined) this.#filling = Buffer.alloc(answer, 'x');
    if (list !== undefined) this.#list = Buffer.alloc(list, 'x');
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await this.database.stop();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request;
    const action = ACTIONS[method];
    if (action === undefined) {
      this.#read(url, response);
      return;
    }
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
      void this.#write(action, keyOf(action, url, body), body, response);
    });
  }

  async #write(action: FloorAction, key: string, body: Buffer, response: ServerResponse): Promise<void> {
    try {
      const answer = answerOf(await this.#batches.add({ action, key, body }), this.#filling);
      if (action === 5) this.#answers.delete(key);
      else this.#answers.set(key, answer);
      send(response, action === 1 ? 201 : 200, answer);
    } catch (error) {
      send(response, 500, Buffer.from(String(error)));
    }
  }

  #read(url: string, response: ServerResponse): void {
    const answer = this.#answers.get(url);
    if (answer) send(response, 200, answer);
    else if (url.includes(NAME_START)) send(response, 404, Buffer.alloc(0));
    else send(response, 200, this.#list);
  }
}

/** Path of the object; a new one's name is the first in its body. */
function keyOf(action: FloorAction, url: string, body: Buffer): string {
  if (action !== 1) return url.endsWith('/status') ? url.slice(0, -'/status'.length) : url;
  const at = body.indexOf(NAME_START);
  return `${url}/${at < 0 ? body.toString('latin1') : body.toString('latin1', at, at + NAME_LENGTH)}`;
}

/** The client reads the version, as it does from the server's answers. */
function answerOf(version: string, filling: Buffer): Buffer {
  const head = Buffer.from(`{"resourceVersion":"${version}"}`);
  return Buffer.concat([head, filling.subarray(head.length)]);
}

function send(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}
