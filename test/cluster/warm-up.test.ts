import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const POLICY = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'RequestResponse' }] };

describe('a server that warms up before it is ready', () => {
  const folder = makeServerFolder('warm-up-');
  const auditLog = join(folder, 'audit.log');
  let server: Standalone;

  beforeAll(async () => {
    writeFileSync(join(folder, 'policy.json'), JSON.stringify(POLICY));
    server = await startStandalone({
      args: [
        '--warm-up=2s',
        '--controllers=*',
        ...['--v=3', `--audit-policy-file=${join(folder, 'policy.json')}`, `--audit-log-path=${auditLog}`],
      ],
    });
  });
  afterAll(() => server.stop());

  const get = async (path: string): Promise<string> => {
    const answer = await fetch(`${server.plainUrl}${path}`, { headers: { authorization: `Bearer ${server.token}` } });
    expect(answer.status, path).toBe(200);
    return answer.text();
  };

  test('has had each of its requests answered, over both versions of HTTP', () => {
    const log = readFileSync(server.process.logFile, 'utf8');
    expect(log).not.toContain('warm-up failed');
    expect(Number(/"warmed up" requests=(\d+)/.exec(log)?.[1])).toBeGreaterThan(100);
  });

  test('has reported that it was not ready until then', async () => {
    expect(await get('/readyz?verbose')).toContain('[+]warm-up ok');
  });

  test('has nothing of it in its objects, metrics, logs and audit log', async () => {
    for (const path of ['/api/v1/nodes', '/api/v1/pods', '/apis/coordination.k8s.io/v1/leases', '/api/v1/events'])
      expect(await get(path)).not.toContain('warm-up');
    const metrics = await get('/metrics');
    expect(metrics).not.toMatch(/apiserver_request_total\{.*resource="deployments"/);
    const log = readFileSync(server.process.logFile, 'utf8');
    expect(log).not.toContain('/deployments');
    expect(readFileSync(auditLog, 'utf8')).not.toContain('warm-up-');
  });
});

describe('an api-server of three workers that shows --goaway-chance and few connections to others', () => {
  const dir = makeServerFolder('warm-up-workers-');
  let cluster: Cluster | undefined;
  afterAll(async () => {
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('warms up in each worker, two of which start at the same time, on a port of its own', async () => {
    const apiServerArgs = ['--workers=3', '--goaway-chance=0.02', '--max-connections=40'];
    cluster = await startCluster({ dir, apiServers: 1, gateways: 0, apiServerArgs, serverArgs: ['--warm-up=2s'] });
    const log = () => readFileSync(join(dir, 'api-server-0.log'), 'utf8');
    const warm = () => [...log().matchAll(/"warmed up".* requests=(\d+)/g)].map(([, requests]) => Number(requests));
    await waitUntil('all are warm', 30_000, async () => warm().length === 3);
    expect(Math.min(...warm())).toBeGreaterThan(100);
    expect(log()).not.toContain('warm-up failed');
  });
});
