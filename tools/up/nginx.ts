import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillTemplate } from './fill-template.js';
import type { LoadBalancerSettings } from './load-balancer.js';
import { ManagedProcess } from './managed-process.js';
import { accepts } from './ready.js';

const TEMPLATE = fileURLToPath(new URL('../../deploy/nginx/orch.conf.template', import.meta.url));

/** nginx with the configuration of `deploy/nginx`. */
export function nginx(settings: LoadBalancerSettings, program: string): ManagedProcess {
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
    ready: () => accepts(settings.port, settings.address),
  });
}

function render(settings: LoadBalancerSettings): string {
  const servers = (at: readonly string[], limits: string) => at.map((each) => `server ${each} ${limits};`).join(' ');
  return fillTemplate(TEMPLATE, {
    LISTEN: `${settings.address ?? '127.0.0.1'}:${settings.port}`,
    HOP: `127.0.0.1:${settings.healthPort}`,
    API_SERVERS: servers(settings.apiServers, 'max_fails=1 fail_timeout=1s'),
    // nginx forgives a failure only at the end of a request that went well, which for a watch is in half an hour: until
    // then it would let one new watch a second through.
    GATEWAYS: servers(settings.gateways, 'max_fails=0'),
    UPSTREAM_NAME: 'localhost', // nginx compares DNS names only, not addresses
    CERT_FILE: settings.certFile,
    KEY_FILE: settings.keyFile,
    CA_FILE: settings.caFile,
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
