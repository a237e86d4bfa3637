import { attributesOf, pluginOf, refusalOf, TestObjects } from '@orch/admission/testing';
import { expect, test } from 'vitest';
import { type PublishedPod, publishedPods, readPod } from './published-pods.js';

const LABEL = 'pod-security.kubernetes.io/enforce';
const LEAST = 3_000;

/** Through a server: `published-pods.slow.ts`. */
test('every published pod is let in or refused by the level and release that it is of', {
  timeout: 300_000,
}, async () => {
  const objects = new TestObjects();
  const plugin = pluginOf('PodSecurity', { objects });
  const wrong: string[] = [];
  const pods = publishedPods();
  for (const published of pods) {
    const { level, version, passes, file } = published;
    const namespace = `${level}-${version}`;
    objects.put('', 'namespaces', {
      metadata: { name: namespace, labels: { [LABEL]: level, [`${LABEL}-version`]: version } },
    });
    const refusal = await refusalOf(plugin, attributesOf({ namespace, object: readPod(published) }));
    const isRight = passes ? refusal === undefined : refusal?.includes(said(published));
    if (!isRight) wrong.push(`${file}: ${refusal}`);
  }
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(pods.length).toBeGreaterThan(LEAST);
});

const said = ({ level, version }: PublishedPod): string => `violates PodSecurity "${level}:${version}": `;
