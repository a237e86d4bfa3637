import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import type { ApiObject } from '../../support/api.js';

/** Behaviour of a webhook; `is down` means that nothing listens at its port. */
export type Mood =
  | 'answers'
  | 'is slow'
  | 'refuses'
  | 'hangs'
  | 'breaks off'
  | 'is down'
  | 'answers garbage'
  | 'answers for another'
  | 'answers with 500'
  | 'redirects'
  | 'never stops talking';

export type Side = 'mutate' | 'validate';

/** Message of a refusal by a webhook. */
export const REFUSAL = 'not in this mood';
const SLOW_MS = 200;
/** Target of redirects, on a host with another name. Nobody may request it. */
const ELSEWHERE = '/elsewhere';
const CHUNK = Buffer.alloc(64 << 10, ' ');

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly object: ApiObject };
}

type Response = Readonly<Record<string, unknown>>;

/**
 * Admission webhooks behind TLS, whose authority is their own, at `/mutate/…` and `/validate/…`. The first write of an object that its
 * `data.stamp` was seen; the second remember to which stamps they have agreed.
 */
export class MoodyWebhook {
  /** Stamps that the validating side has agreed to, of those that the mutating one had seen. */
  readonly agreed = new Set<string>();
  /** Calls by path. */
  readonly calls = new Map<string, number>();
  /** The most bytes of one answer that never ends which were taken. */
  mostTaken = 0;
  /** Redirects that were followed. */
  followed = 0;
  #moods: Record<Side, Mood> = { mutate: 'answers', validate: 'answers' };
  #held: { readonly side: Side; readonly calls: Set<ServerResponse>; readonly release: Promise<void> } | undefined;
  #release: () => void = () => undefined;
  #server: Server | undefined;
  #port = 0;

  private constructor(
    private readonly dir: string,
    private readonly pki: Pki,
  ) {}

  static async start(): Promise<MoodyWebhook> {
    const dir = await mkdtemp(join(tmpdir(), 'moody-webhook-'));
    const pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'hooks' } });
    const webhook = new MoodyWebhook(dir, pki);
    await webhook.#listen();
    return webhook;
  }

  /** `clientConfig` of what is at a path. */
  clientConfig(path: string): object {
    return {
      url: `https://127.0.0.1:${this.#port}${path}`,
      caBundle: Buffer.from(this.pki.ca.cert).toString('base64'),
    };
  }

  callsOf(path: string): number {
    return this.calls.get(path) ?? 0;
  }

  /** Changes the mood of one side, or of both, from now on; calls under way stay what they are. */
  async be(mood: Mood, sides: readonly Side[]): Promise<void> {
    this.#moods = { mutate: 'answers', validate: 'answers' };
    for (const side of sides) this.#moods[side] = mood;
    if (mood === 'is down') await this.#stop();
    else if (!this.#server) await this.#listen();
  }

  /** Keeps calls at `/SIDE/held` from now on, until {@link release}. */
  hold(side: Side): void {
    const release = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    this.#held = { side, calls: new Set(), release };
  }

  /** Calls that are kept, and that nobody has given up. */
  get held(): number {
    return this.#held?.calls.size ?? 0;
  }

  release(): void {
    this.#held = undefined;
    this.#release();
  }

  async close(): Promise<void> {
    this.release();
    await this.#stop();
    await rm(this.dir, { recursive: true });
  }

  async #listen(): Promise<void> {
    const { cert, key } = this.pki.serving;
    const server = createServer({ cert, key });
    server.on('request', (request, response) => void this.#serve(request, response).catch(() => response.destroy()));
    server.on('tlsClientError', () => undefined);
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async #stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '/';
    this.calls.set(path, this.callsOf(path) + 1);
    if (path === ELSEWHERE) this.followed++;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const review = JSON.parse(Buffer.concat(pieces).toString()) as Review;
    const side: Side = path.startsWith('/mutate/') ? 'mutate' : 'validate';
    if (path.endsWith('/held')) return this.#answerHeld(side, review, response);
    await this.#answer(this.#moods[side], side, review, response);
  }

  async #answerHeld(side: Side, review: Review, response: ServerResponse): Promise<void> {
    const held = this.#held;
    if (held?.side === side) {
      held.calls.add(response);
      response.once('close', () => held.calls.delete(response));
      await held.release;
    }
    say(review, response, {});
  }

  async #answer(mood: Mood, side: Side, review: Review, response: ServerResponse): Promise<void> {
    switch (mood) {
      case 'answers':
        return say(review, response, this.#right(side, review));
      case 'is slow':
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
        return say(review, response, this.#right(side, review));
      case 'refuses':
        return say(review, response, { allowed: false, status: { code: 403, reason: 'Forbidden', message: REFUSAL } });
      case 'answers for another':
        return say(review, response, { uid: 'of-another' });
      case 'answers garbage':
        return void response.end('{"kind":"AdmissionReview","response":{"allowed":tr');
      case 'answers with 500':
        return void response.writeHead(500).end('oh');
      case 'redirects':
        return void response.writeHead(307, { location: `https://localhost:${this.#port}${ELSEWHERE}` }).end();
      case 'never stops talking':
        return this.#talk(response);
      case 'breaks off':
      case 'is down':
        return void response.destroy();
      case 'hangs':
        return undefined;
    }
  }

  #right(side: Side, { request: { object } }: Review): Response {
    const { stamp = '', seen } = object.data ?? {};
    if (side === 'validate') {
      if (seen === stamp) this.agreed.add(stamp);
      return {};
    }
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/data/seen', value: stamp }])).toString('base64');
    return { patchType: 'JSONPatch', patch };
  }

  async #talk(response: ServerResponse): Promise<void> {
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    response.write('{"apiVersion":"');
    for (let taken = 0; !closed.signal.aborted; taken += CHUNK.length) {
      this.mostTaken = Math.max(this.mostTaken, taken);
      if (!response.write(CHUNK)) await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
    }
  }
}

function say({ apiVersion, kind, request: { uid } }: Review, response: ServerResponse, said: Response): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion, kind, response: { uid, allowed: true, ...said } }));
}
