import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { prometheusProgram } from './prometheus.js';
import { readRules, valuesOf } from './rule-file.js';

const DEPLOY = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url));
const promtool = (...args: readonly string[]) =>
  execFileSync(prometheusProgram('promtool'), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

test('alerts whose faults take long fire in time series that have them, and not in others', () => {
  expect(promtool('test', 'rules', join(DEPLOY, 'rules.test.yml'))).toContain('SUCCESS');
});

test('the configuration is one, with the files beside it that it asks for', () => {
  const dir = mkdtempSync(join(tmpdir(), 'orch-prometheus-'));
  try {
    copyFileSync(join(DEPLOY, 'prometheus.yml'), join(dir, 'prometheus.yml'));
    cpSync(join(DEPLOY, 'rules'), join(dir, 'rules'), { recursive: true });
    for (const name of ['ca.crt', 'token']) writeFileSync(join(dir, name), '');
    expect(promtool('check', 'config', join(dir, 'prometheus.yml'))).toContain('valid prometheus config');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('it probes as it is shipped what each installation has: TLS at the load balancer, and not at NATS', () => {
  const { scrape_configs: jobs } = parse(readFileSync(join(DEPLOY, 'prometheus.yml'), 'utf8'));
  const probes = jobs.find(({ job_name }: { job_name: string }) => job_name === 'orch-probes');
  expect(probes.static_configs).toEqual([{ targets: ['127.0.0.1:6443'], labels: { __param_module: 'orch_tls' } }]);
});

test('every alert is a comparison with a bound, says how bad it is, and is told of in the manual', () => {
  const manual = readFileSync(fileURLToPath(new URL('../../docs/monitoring.md', import.meta.url)), 'utf8');
  for (const { rules } of readRules(join(DEPLOY, 'rules', 'orch.yml'))) {
    for (const rule of rules) {
      expect(valuesOf(rule).length).toBeGreaterThan(0);
      if (rule.alert === undefined) continue;
      expect(rule).toMatchObject({ labels: { severity: expect.stringMatching(/^(warning|critical)$/) } });
      expect(manual, rule.alert).toContain(`\`${rule.alert}\``);
    }
  }
});
