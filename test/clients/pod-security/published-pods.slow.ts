import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { type PublishedPod, publishedPods, readPod } from './published-pods.js';

const SETUP_MS = 600_000;
/** Requests at a time. */
const AT_A_TIME = 16;

/** Each pod that the standards are published with, in a namespace that enforces the level and version that it is of. */
describe('published pods of the pod security standards', () => {
  let server: Standalone;
  let api: Api;
  let pods: readonly PublishedPod[];
  beforeAll(async () => {
    pods = publishedPods();
    // Without it what is said of /proc is dropped.
    server = await startStandalone({ args: ['--feature-gates=ProcMountType=true'] });
    api = new Api(server);
    for (const one of new Map(pods.map((pod) => [namespaceOf(pod), pod])).values()) await makeNamespace(api, one);
  }, SETUP_MS);
  afterAll(() => server?.stop());

  test(
    'a server lets them in or refuses them',
    async () => {
      const wrong: string[] = [];
      const left = pods.values();
      const work = async () => {
        for (const pod of left) {
          const problem = await problemOf(api, pod);
          if (problem !== undefined) wrong.push(problem);
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, work));
      expect(wrong.slice(0, 10)).toEqual([]);
    },
    SETUP_MS,
  );
});

const namespaceOf = ({ level, version }: PublishedPod): string => `${level}-${version.replace('.', '-')}`;

async function makeNamespace(api: Api, pod: PublishedPod): Promise<void> {
  const [name, prefix] = [namespaceOf(pod), 'pod-security.kubernetes.io/enforce'];
  const labels = { [prefix]: pod.level, [`${prefix}-version`]: pod.version };
  const made = await api.post('/api/v1/namespaces', { metadata: { name, labels } });
  expect(made.status).toBe(201);
  // Pods run as it, and nobody else makes it here.
  await api.post(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
}

async function problemOf(api: Api, pod: PublishedPod): Promise<string | undefined> {
  const answer = await api.post(`/api/v1/namespaces/${namespaceOf(pod)}/pods?dryRun=All`, readPod(pod));
  const said = `violates PodSecurity \\"${pod.level}:${pod.version}\\"`;
  const isRight = pod.passes ? answer.status === 201 : answer.status === 403 && answer.text.includes(said);
  return isRight ? undefined : `${pod.file}: ${answer.status} ${answer.text}`;
}
