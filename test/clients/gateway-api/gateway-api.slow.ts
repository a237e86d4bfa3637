import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';
import { kubectlStage } from '../kubectl-stage.js';
import { definitionsIn, gatewayApi } from './definitions.js';

/** The last release whose module holds its own tests of its rules, which talk to whatever server KUBECONFIG names. */
const VERSION = 'v1.1.0';
const TESTS = 'sigs.k8s.io/gateway-api/pkg/test/cel';
/** Their client sends five requests a second. */
const RUN_MS = 300_000;

describe("Gateway API's own tests of its rules", () => {
  const stage = kubectlStage('1.27');
  let programs: string;
  beforeAll(() => {
    programs = buildTests();
  }, 1_500_000);

  test.each([
    { channel: 'standard', atLeast: 100 },
    { channel: 'experimental', atLeast: 150 },
  ] as const)(
    'pass with the $channel definitions',
    async ({ channel, atLeast }) => {
      const files = definitionsIn(gatewayApi(VERSION), channel);
      await stage.kubectl.ok(['apply', '--server-side', ...files.flatMap((file) => ['-f', file])]);
      await stage.kubectl.ok(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
      const said = await outputOf(join(programs, channel), stage.server.kubeconfig);
      const outcomes = [...said.matchAll(/^ +--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, outcome, name]) => ({
        outcome,
        name,
      }));
      expect(outcomes.filter(({ outcome }) => outcome !== 'PASS')).toEqual([]);
      expect(outcomes.length, said.slice(-2_000)).toBeGreaterThanOrEqual(atLeast);
    },
    RUN_MS,
  );
});

/** Compiles the tests of both channels, unchanged: some minutes at first. Returns the folder of the programs, named as the channels. */
function buildTests(): string {
  return installed(`gateway-api-tests-${VERSION}`, (making) => {
    const go = findGo();
    install(go, ['mod', 'init', 'tests'], making);
    install(go, ['get', '-t', `${TESTS}@${VERSION}`], making);
    for (const channel of ['standard', 'experimental']) {
      install(go, ['test', '-mod=mod', '-p=2', '-c', `-tags=${channel}`, '-o', channel, TESTS], making);
    }
  });
}

/** Runs the tests. Returns their output, whether they pass or not. */
function outputOf(program: string, kubeconfig: string): Promise<string> {
  const options = { env: { KUBECONFIG: kubeconfig }, maxBuffer: 16 << 20, timeout: RUN_MS };
  return new Promise((resolve) => {
    execFile(program, ['-test.v'], options, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}
