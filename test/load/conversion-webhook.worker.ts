import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { temporaryPki } from './bare.js';
import { serve } from './worker.js';

/** The client configuration of a webhook, as in definitions. */
export interface WebhookClientConfig {
  readonly url: string;
  /** Base64 of PEM. */
  readonly caBundle: string;
}

/** Counts of the requests since the last reading. */
export interface WebhookReading {
  readonly calls: number;
  readonly objects: number;
}

interface Converted {
  apiVersion: string;
  data?: unknown;
  content?: unknown;
}

let calls = 0;
let objects = 0;

async function listen(): Promise<WebhookClientConfig> {
  const { ca, serving } = await temporaryPki();
  const server = createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.from(answerTo(JSON.parse(Buffer.concat(chunks).toString())));
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(ca.cert).toString('base64') };
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Converted[] };
}

/** An answer as of `ConversionReview` of apiextensions.k8s.io/v1. */
function answerTo({ apiVersion, kind, request }: Review): string {
  calls++;
  objects += request.objects.length;
  const convertedObjects = request.objects.map((object) => convert(object, request.desiredAPIVersion));
  return JSON.stringify({
    apiVersion,
    kind,
    response: { uid: request.uid, result: { status: 'Success' }, convertedObjects },
  });
}

function convert({ data, content, ...rest }: Converted, apiVersion: string): Converted {
  const filling = data ?? content;
  if (filling === undefined) return { ...rest, apiVersion };
  return { ...rest, apiVersion, [apiVersion.endsWith('/v1') ? 'data' : 'content']: filling };
}

function read(): WebhookReading {
  const reading = { calls, objects };
  calls = 0;
  objects = 0;
  return reading;
}

const methods = { listen, read };
export type WebhookMethods = typeof methods;
serve(methods);
