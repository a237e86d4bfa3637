import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { queriesOf } from './dashboards.js';
import { prometheusProgram } from './prometheus.js';
import { readRules, valuesOf } from './rule-file.js';

const DEPLOY = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url));
const GRAFANA = fileURLToPath(new URL('../../deploy/grafana', import.meta.url));
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

test('it probes as it is shipped what each installation has: the load balancer, and not TLS at NATS', () => {
  const { scrape_configs: jobs } = parse(readFileSync(join(DEPLOY, 'prometheus.yml'), 'utf8'));
  const probes = jobs.find(({ job_name }: { job_name: string }) => job_name === 'orch-probes');
  expect(probes.static_configs).toEqual([
    { targets: ['https://127.0.0.1:6443/readyz'], labels: { __param_module: 'orch_readyz' } },
  ]);
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

test('failures of each controller of certificate requests count, by the phrase that they are logged with', () => {
  const options = readFileSync(fileURLToPath(new URL('../../docs/reference.md', import.meta.url)), 'utf8');
  const names = /^\| `--controllers=.*/m.exec(options)?.[0].match(/\bcsr\w+/g) ?? [];
  expect(names.length).toBe(3);
  const rules = readRules(join(DEPLOY, 'rules', 'orch.yml')).flatMap((group) => group.rules);
  const { expr = '' } = rules.find(({ alert }) => alert === 'OrchCertificateSigningFails') ?? {};
  const phrases = new RegExp(`^(?:${/message=~"([^"]+)"/.exec(expr)?.[1]})$`);
  for (const name of names) expect(`controller: ${name}`).toMatch(phrases);
});

/** Names of metrics, and of records of rules, in an expression. */
const metricsIn = (expression: string): string[] =>
  expression.match(/\b(?:orch|apiserver|kubernetes|aggregator|leader|probe|nodejs|up)(?:[_:]\w+)*(?=[{)[\s]|$)/g) ?? [];

test('what an alert goes by is to be seen on a panel', () => {
  const variables = { instance: '.*', __rate_interval: '5m' };
  const panels = readdirSync(GRAFANA).flatMap((name) =>
    queriesOf(name, readFileSync(join(GRAFANA, name), 'utf8'), variables),
  );
  const shown = new Set(panels.flatMap(({ query }) => metricsIn(query)));
  const rules = readRules(join(DEPLOY, 'rules', 'orch.yml')).flatMap((group) => group.rules);
  const records = new Map(rules.flatMap(({ record, expr }) => (record === undefined ? [] : [[record, expr]])));
  const isShown = (name: string): boolean => {
    const inner = metricsIn(records.get(name) ?? '');
    return shown.has(name) || (inner.length > 0 && inner.some(isShown));
  };
  const hidden = rules
    .filter(({ alert }) => alert !== undefined)
    .flatMap(({ alert, expr }) => metricsIn(expr).map((name) => ({ alert, name })))
    .filter(({ name }) => !isShown(name));
  expect(rules.flatMap(({ expr }) => metricsIn(expr)).length).toBeGreaterThan(rules.length);
  expect(hidden).toEqual([]);
});
