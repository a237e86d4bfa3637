import { Agent, request } from 'node:http';
import type { Standalone } from '../support/standalone.js';

/** An answer that was read to its end; its body is kept when it is short. */
export interface Read {
  readonly status: number;
  readonly bytes: number;
  readonly complete: boolean;
  readonly text: string;
}

const KEPT = 64 * 1024;

/** Plain requests over connections that are kept. */
export class PlainClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #port: string;

  constructor(private readonly server: Pick<Standalone, 'plainUrl' | 'token'>) {
    this.#port = new URL(server.plainUrl).port;
  }

  ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Read> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const options = {
      host: '127.0.0.1',
      port: this.#port,
      path,
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.server.token}`,
        ...(text !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
    };
    return new Promise((resolve, reject) => {
      const asked = request(options, (answer) => {
        let bytes = 0;
        const kept: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => {
          if (bytes < KEPT) kept.push(chunk);
          bytes += chunk.length;
        });
        answer.on('close', () => {
          const { statusCode: status = 0, complete } = answer;
          resolve({ status, bytes, complete, text: Buffer.concat(kept).toString() });
        });
      });
      asked.on('error', reject).end(text);
    });
  }

  /** Asks for every one of so many, so many at a time. */
  async many(count: number, atATime: number, one: (index: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < count) await one(next++);
    };
    await Promise.all(Array.from({ length: atATime }, worker));
  }

  close(): void {
    this.#agent.destroy();
  }
}
