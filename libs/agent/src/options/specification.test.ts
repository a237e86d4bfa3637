import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OptionsError, readCommandLine } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import { agentOptions } from './agent-options.js';
import { CONFIGURATION_FIELDS } from './configuration-fields.js';
import { readAgentOptions } from './read-configuration.js';

/** A row of the specification: default as it is written there, values that are refused, and another that is taken. */
type Row = readonly [option: string, preset: string, refused: readonly string[], other: string];

const BOOL = ['maybe'];
const PORT = ['-1', '65536', 'x'];
const DURATION = ['0', '-1s', 'x'];

/** "Node agent option defaults". Empty: unset, or off. */
const OPTIONS: readonly Row[] = [
  ['address', '0.0.0.0', ['x', '1.2.3'], '10.0.0.1'],
  ['port', '10250', [...PORT, '0'], '7000'],
  ['healthz-port', '10248', PORT, '0'],
  ['healthz-bind-address', '127.0.0.1', ['x'], '::1'],
  ['config', '', [], ''],
  ['file-check-frequency', '20s', DURATION, '7s'],
  ['http-check-frequency', '20s', DURATION, '7s'],
  ['pod-manifest-path', '', [], '/manifests'],
  ['max-pods', '110', ['-1', 'x', '1.5'], '3'],
  ['pods-per-core', '0', ['-1', 'x'], '3'],
  ['pod-max-pids', '-1', ['-2', 'x'], '100'],
  ['container-log-max-files', '5', ['1', '-1', 'x'], '2'],
  ['container-log-max-size', '10Mi', ['0', '-1', 'x'], '1Mi'],
  ['node-status-update-frequency', '10s', DURATION, '7s'],
  ['node-status-max-images', '50', ['-2', 'x'], '-1'],
  ['max-open-files', '1000000', ['-1', 'x'], '5000'],
  ['cgroup-driver', 'cgroupfs', ['', 'other', 'Systemd'], 'systemd'],
  ['cpu-manager-policy', 'none', ['', 'None', 'dynamic'], 'static'],
  ['cpu-manager-reconcile-period', '10s', DURATION, '7s'],
  ['memory-manager-policy', 'None', ['', 'none', 'static'], 'Static'],
  ['cpu-cfs-quota', 'true', BOOL, 'false'],
  ['cpu-cfs-quota-period', '100ms', ['0', '2s', 'x'], '50ms'],
  ['enforce-node-allocatable', 'pods', ['none,pods', 'other', 'system-reserved', 'kube-reserved'], 'none'],
  [
    'eviction-hard',
    'imagefs.available<15%,memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%',
    ['memory.free<1Gi', 'memory.available<0', 'memory.available<101%', 'memory.available'],
    'memory.available<1Gi',
  ],
  ['eviction-pressure-transition-period', '5m0s', ['-1s', 'x'], '7s'],
  ['image-gc-high-threshold', '85', ['-1', '101', '79', 'x'], '100'],
  ['image-gc-low-threshold', '80', ['-1', '86', '101', 'x'], '0'],
  ['minimum-image-ttl-duration', '2m0s', ['-1s', 'x'], '7s'],
  ['maximum-dead-containers', '-1', ['x'], '0'],
  ['maximum-dead-containers-per-container', '1', ['x'], '3'],
  ['fail-swap-on', 'true', BOOL, 'false'],
  ['oom-score-adj', '-999', ['-1001', '1001', 'x'], '1000'],
  ['iptables-drop-bit', '15', ['-1', '32', 'x'], '31'],
  ['iptables-masquerade-bit', '14', ['-1', '32', 'x'], '0'],
  ['hairpin-mode', 'promiscuous-bridge', ['bridge', ''], 'hairpin-veth'],
  ['logging-format', 'text', ['yaml', ''], 'json'],
  ['log-flush-frequency', '5s', ['-1s', 'x'], '7s'],
  ['cert-dir', '/var/lib/node-agent/pki', [], '/pki'],
  [
    'kube-api-content-type',
    'application/vnd.orch.protobuf',
    ['text/plain', 'application/vnd.kubernetes.protobuf'],
    'application/json',
  ],
  ['enable-server', 'true', BOOL, 'false'],
  ['enable-debugging-handlers', 'true', BOOL, 'false'],
  ['enable-controller-attach-detach', 'true', BOOL, 'false'],
  ['cgroups-per-qos', 'true', BOOL, 'true'],
  ['make-iptables-util-chains', 'true', BOOL, 'false'],
  ['local-storage-capacity-isolation', 'true', BOOL, 'false'],
];

/** "Node agent authentication options". */
const AUTHENTICATION: readonly Row[] = [
  ['anonymous-auth', 'true', BOOL, 'false'],
  ['authentication-token-webhook', '', BOOL, 'true'],
  ['authentication-token-webhook-cache-ttl', '2m0s', ['-1s', 'x'], '7s'],
  ['authorization-mode', 'AlwaysAllow', ['RBAC', ''], 'Webhook'],
  ['authorization-webhook-cache-authorized-ttl', '5m0s', ['-1s', 'x'], '7s'],
  ['authorization-webhook-cache-unauthorized-ttl', '30s', ['-1s', 'x'], '7s'],
  ['client-ca-file', '', [], '/ca.crt'],
  ['bootstrap-kubeconfig', '', [], '/bootstrap'],
];

/** Options that the specification names in its text: sources, limits of requests and of events, the name of the node. */
const NAMED: readonly Row[] = [
  ['hostname-override', '', [], 'other'],
  ['manifest-url', '', [], 'http://localhost/'],
  ['kube-api-qps', '50', ['-1', 'x'], '0'],
  ['kube-api-burst', '100', ['-1', 'x'], '0'],
  ['event-qps', '50', ['-1', 'x'], '0'],
  ['event-burst', '100', ['-1', 'x'], '0'],
];

const ROWS = [...OPTIONS, ...AUTHENTICATION, ...NAMED];
const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function help(): string {
  const written: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  try {
    readCommandLine(agentOptions, ['--help'], 'orch node-agent [options]');
  } finally {
    process.stdout.write = write;
  }
  return written.join('');
}

function problems(...argv: string[]): readonly string[] {
  try {
    agentOptions.parse(argv, {});
    return [];
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
    throw error;
  }
}

describe.each(ROWS)('--%s', (option, preset, refused, other) => {
  it(`has the default ${JSON.stringify(preset)} in --help`, () => {
    const [, text = ''] = new RegExp(`\\n {2}--${option}(?=[ =\\n])((?:.|\\n)*?)(?=\\n {2}-|\\n*$)`).exec(help()) ?? [];
    expect(text).not.toBe('');
    const [, shown = ''] = /[(;] ?default (.*?)[);]/.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
    expect(shown.replaceAll('"', '')).toBe(preset);
  });

  if (refused.length > 0)
    it(`refuses ${refused.join(' and ')} with its name`, () => {
      for (const value of refused) {
        const found = problems(`--${option}=${value}`);
        expect({ value, found }).toEqual({ value, found: [expect.stringContaining(`--${option}`)] });
      }
    });

  const [path = '', { form = 'scalar' } = {}] =
    [...CONFIGURATION_FIELDS].find(([, field]) => field.option === option) ?? [];
  if (path !== '')
    it('is a field of the configuration, and the command line wins over it', () => {
      const name = camelCase(option);
      const read = (argv: string[]) =>
        readAgentOptions(['--config=/etc/agent.yaml', ...argv], {}, () => `${HEAD}${fieldOf(path, form, other)}`)
          .values;
      const alone = agentOptions.parse([`--${option}=${other}`], {}).values;
      expect(read([])).toMatchObject({ [name]: alone[name as keyof typeof alone] });
      const argv = preset === '' ? [] : [`--${option}=${preset}`];
      if (argv.length > 0)
        expect(read(argv)).toMatchObject({ [name]: agentOptions.parse([], {}).values[name as 'port'] });
    });
});

const camelCase = (option: string): string =>
  option.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function fieldOf(path: string, form: string, value: string): string {
  const inner = form === 'thresholds' ? objectOf(value.split('<')) : form === 'list' ? `[${value}]` : value;
  return path
    .split('.')
    .reduceRight((text, name) => `{ ${JSON.stringify(name)}: ${text} }`, inner)
    .slice(1, -1)
    .trim();
}

const objectOf = ([signal = '', amount = '']: readonly string[]): string => `{ ${signal}: ${amount} }`;

describe('the tests of the agent', () => {
  const ROOT = join(import.meta.dirname, '../../../..');
  /** Folders whose tests show what options do. */
  const FOLDERS = ['libs', 'test/runtimes', 'test/cluster'];

  function titles(): string {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules') && !path.includes('dist/'))
        .filter((path) => !path.endsWith('specification.test.ts') && !path.endsWith('/options/options.test.ts'))
        .map((path) => join(folder, path)),
    );
    // A title begins its line, behind the name of the function where there is no table; unlike arguments, it has words.
    const title = /^\s*(?:\]\)\()?(?:(?:it|test|describe)(?:\.\w+)*(?:\([^'"`]*\))?\()?(['"`])(\S+ .*)\1/gm;
    return files
      .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(title)].map(([, , text]) => text))
      .join('\n');
  }

  it('have a title for each option of the specification, of what it does', () => {
    const all = titles();
    const missing = ROWS.filter(([option]) => !new RegExp(`--${option}(?![\\w-])`).test(all)).map(([option]) => option);
    expect(missing).toEqual([]);
  });
});
