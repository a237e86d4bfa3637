import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { PortEndpoint, Runtime, StreamEndpoint } from '@orch/container-runtime';
import { waitUntil } from '../../tools/up/index.js';

/** Passes connections on to the loopback address of the network that it runs in: each begins with the number of the port. */
const INNER = `
  const { connect, createServer } = require('node:net');
  createServer({ allowHalfOpen: true }, (outer) => {
    outer.on('error', () => {}).once('readable', () => {
      const inner = connect({ port: Number(outer.read(5)), host: '127.0.0.1', allowHalfOpen: true });
      inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
      outer.on('close', () => inner.destroy()).pipe(inner).pipe(outer);
    });
  }).listen(process.argv[1]);
`;

/** Makes ports reachable that processes of another network have on its loopback address. */
export class NetworkBridge {
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly inner: ChildProcess,
    private readonly path: string,
  ) {}

  /** Opens the network of a process whose command line has a text. @param dir folder of its socket */
  static async open(text: string, dir: string): Promise<NetworkBridge> {
    const path = join(dir, 'bridge.sock');
    const within = ['--net', `--target=${processOf(text)}`, '--'];
    execFileSync('nsenter', [...within, 'ip', 'link', 'set', 'lo', 'up']);
    const inner = spawn('nsenter', [...within, process.execPath, '-e', INNER, path], { stdio: 'inherit' });
    await waitUntil('the other network is reached', 30_000, async () => existsSync(path));
    return new NetworkBridge(inner, path);
  }

  /** Returns a runtime whose streams are reached from here. */
  reaching(runtime: Runtime): Runtime {
    const here = async <T extends StreamEndpoint | PortEndpoint>(endpoint: T): Promise<T> =>
      endpoint.kind === 'url' ? { ...endpoint, url: await this.#reach(endpoint.url) } : endpoint;
    return new Proxy(runtime, {
      get(target, name: keyof Runtime) {
        const method = target[name];
        if (typeof method !== 'function') return method;
        const bound = (method as (...args: unknown[]) => unknown).bind(target);
        if (name !== 'exec' && name !== 'attach' && name !== 'portForward') return bound;
        return async (...args: unknown[]) => here((await bound(...args)) as StreamEndpoint);
      },
    });
  }

  /** Ends it with its connections. */
  stop(): void {
    this.inner.kill('SIGKILL');
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #reach(text: string): Promise<string> {
    const url = new URL(text);
    const { port } = url;
    const server = createServer({ allowHalfOpen: true }, (outer) => this.#pass(outer, port));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return url.href;
  }

  #pass(outer: Socket, port: string): void {
    const inner = connect({ path: this.path, allowHalfOpen: true });
    for (const socket of [outer, inner]) this.#sockets.add(socket);
    inner.write(port.padStart(5, '0'));
    inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
    outer.pipe(inner).pipe(outer);
  }
}

/** Returns the id of a process whose command line has a text. @throws Error if there is none */
function processOf(text: string): string {
  const found = readdirSync('/proc').find((id) => /^\d+$/.test(id) && commandOf(id).startsWith(text));
  if (found === undefined) throw new Error(`no process runs ${text}`);
  return found;
}

function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
