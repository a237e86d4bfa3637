import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { ensurePki } from '@orch/authentication';
import type { Api } from './api.js';

/** A server that stands for the agent of a node: it answers as it is told, and speaks no protocol behind an upgrade. */
export interface NodeAgent {
  /** Address of this machine that is not loopback: the API connects to no other. */
  readonly address: string;
  readonly port: number;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** A client certificate and its key, PEM; its common name is `admin`. */
  readonly client: { readonly cert: string; readonly key: string };
  /** Requests so far: method, path and query. */
  readonly asked: string[];
  /** Connections that are open. */
  readonly connections: ReadonlySet<Socket>;
  /** What it does with a request; may be changed. */
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  /** What it does with a connection that wants another protocol; may be changed. */
  upgrade: (req: IncomingMessage, socket: Socket, head: Buffer) => void;
  /** Makes a node of this name, whose agent this is. */
  join(api: Api, node: string): Promise<void>;
  /** Closes all connections and takes no more. */
  stop(): Promise<void>;
}

/** Common name of the certificate that a client has shown; empty for none. */
export const shownName = ({ socket }: IncomingMessage): string =>
  String((socket as TLSSocket).getPeerCertificate().subject?.CN ?? '');

/** Breaks a response off, so that its client knows that something is missing. */
export function breakOff(res: ServerResponse): void {
  const { stream } = res as unknown as Partial<Http2ServerResponse>;
  if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else res.destroy();
}

/** An IPv4 address of this machine that others reach it by. */
export function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (!found) throw new Error('this machine has no address but loopback');
  return found.address;
}

/** Settings of a {@link NodeAgent}. */
interface NodeAgentSettings {
  /** Speaks HTTP/2 as well, with as many streams on a connection as a kubelet. Default: HTTP/1.1 alone. */
  readonly http2?: boolean;
}

/** Streams on a connection of a kubelet: the default of Go's servers. */
const KUBELET_STREAMS = 250;

function serverOf(certificate: { cert: string; key: string }, { http2 = false }: NodeAgentSettings): Server {
  const options = { ...certificate, requestCert: true, rejectUnauthorized: false };
  if (!http2) return createServer(options);
  const settings = { maxConcurrentStreams: KUBELET_STREAMS };
  // Its requests and responses have the shape of those of HTTP/1.1.
  return createSecureServer({ ...options, settings, allowHTTP1: true }) as unknown as Server;
}

/** Starts one on an address of this machine; it asks for client certificates and verifies none. */
export async function startNodeAgent(settings: NodeAgentSettings = {}): Promise<NodeAgent> {
  const address = ownAddress();
  const certDir = mkdtempSync(join(tmpdir(), 'agent-'));
  const names = { apiServiceName: 'agent' };
  const { ca, serving, admin } = await ensurePki({ certDir, bindAddress: address, names, extraHosts: [] });
  const server = serverOf({ cert: serving.cert, key: serving.key }, settings);
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  const agent: NodeAgent = {
    ...{ address, port, ca: ca.cert, client: { cert: admin.cert, key: admin.key }, asked: [], connections },
    answer: (_req, res) => res.writeHead(404).end(),
    upgrade: (_req, socket) => socket.destroy(),
    async join(api, node) {
      await api.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
      const addresses = [{ type: 'InternalIP', address }];
      const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
      const { status: code, text } = await api.patch(`/api/v1/nodes/${node}/status`, 'merge', { status });
      if (code !== 200) throw new Error(text);
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections) socket.destroy();
      await closed;
      rmSync(certDir, { recursive: true, force: true });
    },
  };
  server.on('request', (req, res) => {
    agent.asked.push(`${req.method} ${req.url}`);
    agent.answer(req, res);
  });
  server.on('upgrade', (req, socket, head) => {
    agent.asked.push(`${req.method} ${req.url}`);
    socket.on('error', () => undefined);
    agent.upgrade(req, socket as Socket, head);
  });
  return agent;
}

/** Makes a pod with one container, `c`, on a node; returns its path. */
export async function makePodOn(api: Api, namespace: string, name: string, nodeName?: string): Promise<string> {
  const spec = { containers: [{ name: 'c', image: 'i' }], ...(nodeName !== undefined && { nodeName }) };
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const { status, text } = await api.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  if (status !== 201) throw new Error(text);
  return `${pods}/${name}`;
}
