import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillTemplate } from './fill-template.js';
import type { LoadBalancerSettings } from './load-balancer.js';
import { ManagedProcess } from './managed-process.js';
import { answersPlain } from './ready.js';

const TEMPLATE = fileURLToPath(new URL('../../deploy/haproxy/haproxy.cfg.template', import.meta.url));

/** Most connections of clients; each takes a second one to a server. */
const MAX_CONNECTIONS = 8_192;

/**
 * HAProxy with the configuration of `deploy/haproxy`; serves once its health checks have found servers of both tiers.
 */
export function haproxy(settings: LoadBalancerSettings, program: string): ManagedProcess {
  const dir = join(settings.dir, 'haproxy');
  mkdirSync(dir, { recursive: true });
  const configuration = join(dir, 'haproxy.cfg');
  writeFileSync(configuration, render(settings));
  execFileSync(program, ['-c', '-q', '-f', configuration], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new ManagedProcess({
    name: 'haproxy',
    command: program,
    args: ['-db', '-f', configuration],
    logFile: join(settings.dir, 'haproxy.log'),
    detached: settings.detached,
    ready: () => answersPlain(`http://127.0.0.1:${settings.healthPort}/readyz`),
  });
}

function render(settings: LoadBalancerSettings): string {
  const servers = (at: readonly string[]) => at.map((each, index) => `server at-${index} ${each}`).join('\n  ');
  return fillTemplate(TEMPLATE, {
    BIND: `${settings.address ?? '127.0.0.1'}:${settings.port}`,
    HEALTH_BIND: `127.0.0.1:${settings.healthPort}`,
    ALPN: 'http/1.1',
    MAXCONN: String(MAX_CONNECTIONS),
    API_SERVERS: servers(settings.apiServers),
    GATEWAYS: servers(settings.gateways),
    UPSTREAM_NAME: 'localhost',
    CERT_FILE: settings.certFile,
    CLIENT_CA_FILE: settings.caFile,
    CA_FILE: settings.caFile,
    PROXY_CERT_FILE: settings.proxyCertFile,
  });
}
