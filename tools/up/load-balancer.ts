import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Place } from './backends.js';
import { ManagedProcess } from './managed-process.js';
import { findPrograms } from './programs.js';
import { accepts } from './ready.js';

const TEMPLATE = fileURLToPath(new URL('../../deploy/nginx/orch.conf.template', import.meta.url));

export interface LoadBalancerSettings extends Place {
  /** Ports of HTTPS on loopback. */
  readonly apiServerPorts: readonly number[];
  readonly gatewayPorts: readonly number[];
  /** PEM files: what clients are shown, and what the servers behind are checked against. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

/** nginx with the configuration of `deploy/nginx`: TLS in front, watches to the gateways, the rest to api-servers. */
export function loadBalancer(settings: LoadBalancerSettings, program: string = findPrograms().nginx): ManagedProcess {
  const dir = join(settings.dir, 'nginx');
  mkdirSync(dir, { recursive: true });
  const configuration = join(dir, 'nginx.conf');
  writeFileSync(join(dir, 'orch.conf'), render(settings));
  writeFileSync(configuration, mainConfiguration(dir));
  const args = ['-p', dir, '-c', configuration, '-e', join(dir, 'error.log')];
  execFileSync(program, [...args, '-t', '-q'], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new ManagedProcess({
    name: 'nginx',
    command: program,
    args,
    logFile: join(settings.dir, 'nginx.log'),
    detached: settings.detached,
    ready: () => accepts(settings.port),
  });
}

/** Fills in the template in the manner of `envsubst`. Throws when a variable of it has no value. */
function render(settings: LoadBalancerSettings): string {
  const servers = (ports: readonly number[]) =>
    ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join(' ');
  const values: Readonly<Record<string, string>> = {
    LISTEN: `127.0.0.1:${settings.port}`,
    API_SERVERS: servers(settings.apiServerPorts),
    GATEWAYS: servers(settings.gatewayPorts.length > 0 ? settings.gatewayPorts : settings.apiServerPorts),
    UPSTREAM_NAME: 'localhost', // nginx compares DNS names only, not addresses
    CERT_FILE: settings.certFile,
    KEY_FILE: settings.keyFile,
    CA_FILE: settings.caFile,
  };
  return readFileSync(TEMPLATE, 'utf8').replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${TEMPLATE}: no value for ${name}`);
    return value;
  });
}

/** Everything under `dir`, in the foreground; as root the workers stay root, since `dir` may be closed to others. */
function mainConfiguration(dir: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (use) => `${use}_temp_path ${dir}/${use};`,
  );
  return [
    'daemon off;',
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'worker_processes 1;',
    'worker_rlimit_nofile 20000;',
    `pid ${dir}/nginx.pid;`,
    'events { worker_connections 16384; }',
    'http {',
    '  access_log off;',
    ...temporary.map((line) => `  ${line}`),
    `  include ${dir}/orch.conf;`,
    '}',
    '',
  ].join('\n');
}
