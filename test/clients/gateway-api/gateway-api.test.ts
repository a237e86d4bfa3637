import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { kubectlStage } from '../kubectl-stage.js';
import { definitionsIn, gatewayApi } from './definitions.js';

/**
 * Releases of Gateway API, in the order in which a cluster gets them: the rules of the first are those that Kubernetes 1.27 was
 * made for, the second is written with later ones in mind.
 */
const RELEASES = [
  {
    version: 'v1.1.0',
    definitions: 10,
    /** Messages of expressions for manifests that are invalid on purpose, by file. */
    refusals: {
      'standard/gateway/duplicate-listeners.yaml': 'Listener name must be unique within the Gateway',
      'standard/gateway/hostname-udp.yaml': "hostname must not be specified for protocols ['TCP', 'UDP']",
      'standard/gateway/tlsconfig-tcp.yaml': "tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",
      'standard/httproute/httproute-portless-service.yaml': 'Must have port for Service reference',
      'standard/httproute/invalid-filter-duplicate.yaml': 'RequestHeaderModifier filter cannot be repeated',
      'standard/httproute/invalid-path-specialchars.yaml':
        "must only contain valid characters (matching ^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$) for types ['Exact', 'PathPrefix']",
    },
  },
  {
    version: 'v1.5.1',
    /** Number of definitions; earlier ones remain. */
    definitions: 13,
    refusals: {
      'experimental/httproute/invalid-filter-externalauth-empty.yaml':
        'filter.externalAuth must be specified for ExternalAuth filter.type',
      'standard/gateway/invalid-tls-mode.yaml': 'tls mode must be Terminate for protocol HTTPS',
      'standard/httproute/invalid-filter-wrong-field.yaml':
        'filter.requestRedirect must be nil if the filter.type is not RequestRedirect',
      'standard/httproute/invalid-request-redirect-with-backendref.yaml':
        'RequestRedirect filter must not be used together with backendRefs',
      'standard/tlsroute/invalid-hostname.yaml': 'Hostnames must be valid based on RFC-1123',
    },
  },
] as const;

describe('definitions of Gateway API, each release after the one before', () => {
  const stage = kubectlStage('1.27');

  describe.each(RELEASES)('$version', ({ version, definitions, refusals }) => {
    let folder: string;
    beforeAll(() => {
      folder = gatewayApi(version);
    }, 300_000);

    test('are established', async () => {
      const files = definitionsIn(folder, 'experimental');
      await stage.kubectl.ok(['apply', '--server-side', ...files.flatMap((file) => ['-f', file])]);
      const established = await stage.kubectl.ok([
        'wait',
        '--for=condition=Established',
        'crd',
        '--all',
        '--timeout=30s',
      ]);
      expect(lines(established)).toHaveLength(definitions);
    });

    test('take every example of theirs', async () => {
      const folders = ['standard', 'experimental'].flatMap((channel) => ['-f', join(folder, 'examples', channel)]);
      const applied = lines(await stage.kubectl.ok(['apply', '--server-side', '-R', ...folders]));
      expect(applied.length).toBeGreaterThan(80);
      expect(applied.filter((line) => !line.endsWith(' serverside-applied'))).toEqual([]);
    });

    test('refuse every example of what is wrong, and say why', async () => {
      const wrong = join(folder, 'hack/invalid-examples');
      const refused = refusalsByFile(await stage.kubectl.refused(['create', '-R', '-f', wrong]), wrong);
      const invalid = [...refused].filter(([, reason]) => reason.includes(' is invalid: ')).map(([file]) => file);
      expect(invalid.sort()).toEqual(manifestsIn(wrong).sort());
      for (const [file, reason] of Object.entries(refusals)) expect(refused.get(file), file).toContain(reason);
    });
  });

  test('have what was stored in a version of before served in the later one', async () => {
    const policies = ['backendtlspolicies.v1.gateway.networking.k8s.io', '-o', 'jsonpath={.items[*].apiVersion}'];
    const versions = (await stage.kubectl.ok(['get', ...policies])).split(' ');
    expect(versions).toContain('gateway.networking.k8s.io/v1');
    expect(new Set(versions).size).toBe(1);
  });
});

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const manifestsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

/** Returns the refusal of each file, by its path in the folder. */
const refusalsByFile = (stderr: string, folder: string): Map<string, string> =>
  new Map(
    [...stderr.matchAll(/error when creating "([^"]+)": (.*)/g)].map(([, file = '', reason = '']) => [
      relative(folder, file),
      reason,
    ]),
  );
