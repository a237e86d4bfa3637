import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { say } from './conversion-server.js';

/** What an admission webhook is asked, as JSON. */
export interface AdmissionReview {
  readonly kind: string;
  readonly apiVersion: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is wrong fails the assertion
  readonly request: Record<string, any>;
}

/** A call as it came. */
export interface AdmissionCall {
  readonly review: AdmissionReview;
  /** Path with query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** What is answered: members of `response`, or done by hand, which answers nothing by itself. */
export type AdmissionAnswer = (
  review: AdmissionReview,
  response: ServerResponse,
) => Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>;

/** Answers with a patch. */
export const patching = (operations: readonly object[]): Record<string, unknown> => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** Admission webhooks behind TLS with an authority of their own, one for each path; those of which nothing is said allow. */
export class AdmissionServer {
  readonly #answers = new Map<string, AdmissionAnswer>();
  readonly #calls = new Map<string, AdmissionCall[]>();
  connections = 0;

  private constructor(
    private readonly dir: string,
    private readonly pki: Pki,
    private readonly server: Server,
  ) {
    server.on('secureConnection', () => this.connections++);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const review = JSON.parse(Buffer.concat(chunks).toString()) as AdmissionReview;
      const target = request.url ?? '/';
      const path = target.split('?')[0] ?? '/';
      this.calls(path).push({ review, target, headers: request.headers });
      const answered = await (this.#answers.get(path) ?? (() => ({})))(review, response);
      if (answered === undefined) return;
      const { uid } = review.request;
      say(response, {
        kind: review.kind,
        apiVersion: review.apiVersion,
        response: { uid, allowed: true, ...answered },
      });
    });
  }

  /** @param shown certificate and key, PEM. Default: of the authority of {@link caBundle} */
  static async start(shown?: { readonly cert: string; readonly key: string }): Promise<AdmissionServer> {
    const dir = await mkdtemp(join(tmpdir(), 'admission-server-'));
    const pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'hooks' } });
    const { cert, key } = shown ?? pki.serving;
    const server = createServer({ cert, key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AdmissionServer(dir, pki, server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get caBundle(): string {
    return Buffer.from(this.pki.ca.cert).toString('base64');
  }

  /** `clientConfig` of a webhook that is here. */
  clientConfig(path: string): { readonly url: string; readonly caBundle: string } {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle };
  }

  /** What the webhook of a path answers from now on. */
  answer(path: string, answer: AdmissionAnswer): void {
    this.#answers.set(path, answer);
  }

  /** Calls of a path so far, in their order; may be emptied. */
  calls(path: string): AdmissionCall[] {
    const calls = this.#calls.get(path) ?? [];
    this.#calls.set(path, calls);
    return calls;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.dir, { recursive: true });
  }
}
