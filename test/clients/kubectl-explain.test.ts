import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const RELEASES = ['1.27', '1.33'] as const;
/** From OpenAPI 3, and as clients before 1.27 and those that cannot read it do, from OpenAPI 2. */
const OUTPUTS = ['plaintext', 'plaintext-openapiv2'] as const;
/** How many are asked for at a time. */
const TOGETHER = 4;

describe.each(RELEASES)('kubectl %s explain', (release) => {
  let server: Standalone;
  let kubectl: Kubectl;
  /** Name and version. */
  let resources: readonly (readonly [string, string])[];

  beforeAll(async () => {
    server = await startStandalone({ naming: 'kubernetes' });
    kubectl = new Kubectl(findKubectl(release), server.kubeconfig);
    const table = await kubectl.ok(['api-resources', '--no-headers', '--verbs=get']);
    resources = [...table.matchAll(/^(\S+) .*?(\S+) +(?:true|false) /gm)].map(([, name = '', version = '']) => [
      name,
      version,
    ]);
  }, KUBECTL_BUILD_MS);
  afterAll(() => server?.stop());

  test.each(OUTPUTS)(
    'every resource with all that is in it, %s',
    async (output) => {
      expect(resources.length).toBeGreaterThan(45);
      const explain = async ([resource, version]: readonly [string, string]) => {
        const which = [resource, `--api-version=${version}`];
        const text = await kubectl.ok(['explain', ...which, '--recursive', `--output=${output}`]);
        expect(text, resource).toMatch(/^KIND:\s+\w+$/m);
        expect(text, resource).toMatch(/^VERSION:\s+\S+$/m);
        expect(text, resource).toMatch(/^ {2,3}metadata\t/m);
        expect(text, `${resource} says what it is`).not.toMatch(/^DESCRIPTION:\s+<empty>/m);
      };
      for (let at = 0; at < resources.length; at += TOGETHER) {
        await Promise.all(resources.slice(at, at + TOGETHER).map(explain));
      }
    },
    240_000,
  );

  test.each(OUTPUTS)('what every object has, by the words that clients look for, %s', async (output) => {
    const text = await kubectl.ok(['explain', 'pod', `--output=${output}`]);
    expect(text).toMatch(/apiVersion\s+<string>\s+APIVersion defines/);
    expect(text).toMatch(/kind\s+<string>\s+Kind is a string value representing/);
    expect(text).toMatch(/metadata\s+<(ObjectMeta|Object)>\s+Standard object's metadata/);
    const metadata = await kubectl.ok(['explain', 'pod.metadata', `--output=${output}`]);
    expect(metadata).toMatch(/creationTimestamp\s+<string>\s+CreationTimestamp is a timestamp/);
  });

  test.each(OUTPUTS)('fields with their types and what is required, %s', async (output) => {
    const explain = (path: string) => kubectl.ok(['explain', path, `--output=${output}`]);
    expect(await explain('service.spec.ports')).toMatch(/port\s+<integer> -required-/);
    expect(await explain('deployment.spec.template.spec.containers')).toMatch(/<\[\]Container>|<\[\]Object>/);
    expect(await explain('hpa.spec.metrics')).toMatch(/<\[\]MetricSpec>|<\[\]Object>/);
    expect(await kubectl.refused(['explain', 'pod.spec.nothing'])).toContain('field "nothing" does not exist');
  });
});
