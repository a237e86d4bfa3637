import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';

/** Handles a request to an extension server. */
export type Answering = (req: IncomingMessage, res: ServerResponse) => void;

/** A small server that answers for a group-version, as what is registered as an APIService does. */
export interface ExtensionServer {
  readonly port: number;
  /** PEM, in base64 as an APIService has it. */
  readonly caBundle: string;
  /** Current request handler; may be replaced. */
  answer: Answering;
  /** Handles a connection that requests another protocol. */
  upgrade: (req: IncomingMessage, socket: Socket) => void;
  /** Closes all connections and takes no more. */
  stop(): Promise<void>;
}

/** Starts one that is called `name.namespace.svc`, on loopback unless told otherwise; it asks for client certificates and believes none. */
export async function startExtensionServer(
  name: string,
  namespace: string,
  answer: Answering,
  port = 0,
  bindAddress = '127.0.0.1',
): Promise<ExtensionServer> {
  const certDir = mkdtempSync(join(tmpdir(), 'extension-'));
  const names = { apiServiceName: name };
  const extraHosts = [`${name}.${namespace}.svc`];
  const { ca, serving } = await ensurePki({ certDir, bindAddress: '127.0.0.1', names, extraHosts });
  const { cert, key } = serving;
  const server: Server = createSecureServer({ cert, key, requestCert: true, rejectUnauthorized: false });
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const extension: ExtensionServer = {
    get port() {
      return (server.address() as AddressInfo).port;
    },
    caBundle: Buffer.from(ca.cert).toString('base64'),
    answer,
    upgrade: (_req, socket) => socket.destroy(),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Also those that go on with another protocol, which the server has let go of.
      for (const socket of connections) socket.destroy();
      await closed;
      rmSync(certDir, { recursive: true, force: true });
    },
  };
  server.on('request', (req, res) => extension.answer(req, res));
  server.on('upgrade', (req, socket) => extension.upgrade(req, socket as Socket));
  await new Promise<void>((resolve) => server.listen(port, bindAddress, resolve));
  return extension;
}
