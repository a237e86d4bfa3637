import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import type { SenderMethods } from './bare-sender.worker.js';
import type { Endpoint } from './connection.js';
import { Worker } from './worker.js';

/** A running sender of nothing but bytes, to hold a server against. */
export interface BareSender {
  readonly endpoint: Endpoint;
  readonly worker: Worker<SenderMethods>;
}

/** Starts one that is reached as `like` is, over TLS or plain; `bodyBytes` as for its `listen`. */
export async function startBareSender(like: Endpoint, bodyBytes?: number): Promise<BareSender> {
  const worker = new Worker<SenderMethods>(new URL('./bare-sender.worker.ts', import.meta.url));
  const pki = like.tls && (await temporaryPki());
  const port = await worker.call('listen', {
    ...(pki && { tls: pki.serving }),
    ...(bodyBytes !== undefined && { bodyBytes }),
  });
  return { endpoint: { host: '127.0.0.1', port, ...(pki && { tls: { ca: pki.ca.cert } }) }, worker };
}

/** Certificates for 127.0.0.1, in memory only. */
export async function temporaryPki() {
  const certDir = mkdtempSync(join(tmpdir(), 'bench-pki-'));
  try {
    return await ensurePki({ certDir, bindAddress: '127.0.0.1', names: { apiServiceName: 'bench' } });
  } finally {
    rmSync(certDir, { recursive: true });
  }
}
