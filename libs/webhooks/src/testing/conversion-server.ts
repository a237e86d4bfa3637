import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';

/** An object of some version, as a webhook sees it. */
export interface Converted {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  [field: string]: unknown;
}

/** What a webhook is asked. */
export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Converted[] };
}

type Answer = (review: Review, response: ServerResponse) => void;

/** A webhook behind TLS that converts: what is `spec.size` in one version is `spec.dimension.size` in those whose name is not `v1`. */
export class ConversionServer {
  /** Every review so far. */
  readonly reviews: Review[] = [];
  connections = 0;
  /** Common names of the certificates that it was shown. */
  readonly shown = new Set<string>();
  /** In place of converting. */
  answer: Answer | undefined;

  private constructor(
    private readonly dir: string,
    private readonly pki: Pki,
    private readonly server: Server,
  ) {
    server.on('secureConnection', (socket) => {
      this.connections++;
      const name = socket.getPeerCertificate()?.subject?.CN;
      if (typeof name === 'string') this.shown.add(name);
    });
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      this.reviews.push(review);
      if (this.answer) this.answer(review, response);
      else say(response, convertedReview(review));
    });
  }

  static async start(): Promise<ConversionServer> {
    const dir = await mkdtemp(join(tmpdir(), 'conversion-server-'));
    // Its certificate bears the name of a service, `hooks.default.svc` among others.
    const pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'hooks' } });
    const { cert, key } = pki.serving;
    const server = createServer({ cert, key, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ConversionServer(dir, pki, server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get caBundle(): string {
    return Buffer.from(this.pki.ca.cert).toString('base64');
  }

  /** `spec.conversion` of a definition that is converted here. @param clientConfig in place of the URL */
  conversion(clientConfig: object = { url: `https://127.0.0.1:${this.port}/convert` }): object {
    const webhook = { clientConfig: { caBundle: this.caBundle, ...clientConfig }, conversionReviewVersions: ['v1'] };
    return { strategy: 'Webhook', webhook };
  }

  /** Answers with 503 until {@link recover}. */
  fail(): void {
    this.answer = (_review, response) => response.writeHead(503).end('down');
  }

  recover(): void {
    this.answer = undefined;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.dir, { recursive: true });
  }
}

export const say = (response: ServerResponse, answer: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer));
};

/** The right answer. @param change spoils it */
export function convertedReview(
  { apiVersion, kind, request: { uid, desiredAPIVersion, objects } }: Review,
  change: (object: Converted) => Converted = (object) => object,
): { kind: string; apiVersion: string; response: Record<string, unknown> } {
  const convertedObjects = objects.map((object) => change(convertedTo(object, desiredAPIVersion)));
  return { kind, apiVersion, response: { uid, result: { status: 'Success' }, convertedObjects } };
}

function convertedTo(object: Converted, apiVersion: string): Converted {
  const { spec, ...rest } = object;
  if (!spec) return { ...object, apiVersion };
  const { size, dimension, ...others } = spec as { size?: unknown; dimension?: { size?: unknown } };
  const value = size ?? dimension?.size;
  const sized =
    value === undefined ? {} : apiVersion.endsWith('/v1') ? { size: value } : { dimension: { size: value } };
  return { ...rest, apiVersion, spec: { ...others, ...sized } };
}
