import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTracingConfig } from './tracing-config.js';

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n';
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'orch-tracing-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function read(text: string) {
  const file = join(dir, 'tracing.yaml');
  await writeFile(file, text);
  return readTracingConfig(file);
}

test('a configuration, and what stands for what it leaves out', async () => {
  const given = `${HEAD}endpoint: http://collector:4318\nsamplingRatePerMillion: 100\n`;
  expect(await read(given)).toEqual({ endpoint: 'http://collector:4318', samplingRatePerMillion: 100 });
  expect(await read(HEAD)).toEqual({ endpoint: 'localhost:4318', samplingRatePerMillion: 0 });
});

test.each([
  ['another kind', 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n'],
  ['another group', 'apiVersion: v1\nkind: TracingConfiguration\n'],
  ['unknown fields', `${HEAD}samplingRate: 1\n`],
  ['a rate above a million', `${HEAD}samplingRatePerMillion: 1000001\n`],
  ['a rate that is no number', `${HEAD}samplingRatePerMillion: often\n`],
  ['an empty endpoint', `${HEAD}endpoint: ''\n`],
  ['no object', 'text'],
  ['no YAML', '{'],
])('%s is refused, with the name of the file', async (_what, text) => {
  await expect(read(text)).rejects.toThrow(/--tracing-config-file .*tracing\.yaml: /);
});
