import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server, type ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { findPrograms, freePorts, type LoadBalancerKind, loadBalancer } from '../../tools/up/index.js';

/** Largest head that servers take (`--max-request-header-bytes`). */
const HEAD_BYTES = 64 << 10;
/** The maximum number of warnings of an answer: 4,096 characters of short ones. */
export const WARNINGS: readonly string[] = Array.from(
  { length: 2000 },
  (_, at) => `299 - "${String.fromCharCode(33 + (at % 90), 40 + at / 90)}"`,
);

interface Answer {
  readonly status: number;
  readonly body: string;
  /** How many there were. */
  readonly warnings: number;
}

/** A load balancer before two api-servers and a gateway, as far as it looks at them. */
export interface Balanced {
  readonly dir: string;
  readonly port: number;
  readonly gatewayPort: number;
  readonly ca: string;
  ask(path: string, method?: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export async function openBalanced(kind: LoadBalancerKind): Promise<Balanced> {
  const dir = mkdtempSync(join(tmpdir(), `orch-${kind}-`));
  const pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('kubernetes') });
  const [port = 0, healthPort = 0, one = 0, other = 0, gatewayPort = 0] = await freePorts(5);
  const servers = await Promise.all([one, other, gatewayPort].map((each) => listen(each, pki)));
  const files = { certFile: pki.serving.certFile, keyFile: pki.serving.keyFile, caFile: pki.ca.certFile };
  const at = (port: number) => `127.0.0.1:${port}`;
  const behind = { apiServers: [one, other].map(at), gateways: [at(gatewayPort)], healthPort };
  const settings = { dir, port, detached: false, ...files, ...behind, proxyCertFile: pki.proxy.certFile };
  const balancer = await loadBalancer(kind, settings, findPrograms()).start();
  return {
    ...{ dir, port, gatewayPort },
    ca: pki.ca.cert,
    ask: (path, method = 'GET', headers = {}) => ask({ port, path, method, headers, ca: pki.ca.cert }),
    async close() {
      await balancer.stop();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A server: `/warned` has a long head, and a watch begins and goes on. */
async function listen(at: number, { serving: { cert, key } }: Pki): Promise<Server> {
  const options: ServerOptions = { cert, key, maxHeaderSize: HEAD_BYTES };
  const server = createServer(options, (asked, answer) => {
    if (asked.url?.startsWith('/warned')) answer.setHeader('Warning', WARNINGS);
    answer.writeHead(200, { 'Content-Type': 'application/json' });
    if (asked.method === 'GET' && asked.url?.includes('watch=1')) answer.write('{}\n');
    else answer.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  return server;
}

function ask(options: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, maxHeaderSize: HEAD_BYTES, agent: false }, async (answer) => {
      const warnings = answer.rawHeaders.filter((name) => name.toLowerCase() === 'warning').length;
      resolve({ status: answer.statusCode ?? 0, body: await text(answer), warnings });
    });
    sent.maxHeadersCount = 0;
    sent.on('error', reject).end();
  });
}

const PROBE = /timer:\(keepalive,(?:(\d+)min)?([\d.]+)?(ms|sec)?/;

/** Seconds until the kernel looks for the other end of each connection from a port, or to one, on which nothing is sent. */
export function probedWithin(side: 'sport' | 'dport', of: number): number[] {
  const lines = execFileSync('ss', ['-tnoH', 'state', 'established', `${side} = :${of}`], { encoding: 'utf8' });
  return lines.split('\n').flatMap((line) => {
    const [found, minutes = 0, count = 0, unit] = PROBE.exec(line) ?? [];
    return found === undefined ? [] : Number(minutes) * 60 + Number(count) / (unit === 'ms' ? 1000 : 1);
  });
}
