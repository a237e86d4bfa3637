import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import type { Cluster } from './cluster.js';
import { drain } from './drain.js';
import { IMAGES } from './images.js';
import type { Node } from './node.js';
import { NODES } from './place.js';
import { ALL } from './pods.js';
import { NAMESPACE } from './release.js';
import * as rotations from './rotations.js';
import { Scene } from './scene.js';
import { Stage } from './stage.js';
import { Steps } from './steps.js';

const LOAD = { writes: 50, watches: 200 };
const TEST_MS = 1_200_000;
/** Starting takes the images into both nodes. */
const START_MS = 600_000;
const GONE_MS = 120_000;

const stage = new Stage();
let cluster: Cluster;
let scene: Scene;
const steps = new Steps(() => scene?.load);

beforeAll(async () => {
  cluster = await stage.start();
  for (const node of cluster.nodes) await nameBefore(node);
  scene = await Scene.prepare(cluster);
}, START_MS);

afterAll(async () => {
  console.log(steps.table);
  await stage.stop();
}, 24 * 3_600_000);

/** Where there is no tree of the release before, the present one is also the one before. */
async function nameBefore(node: Node): Promise<void> {
  const names = await node.ctr('images', 'ls', '-q');
  if (!names.split('\n').includes(IMAGES.before)) await node.ctr('images', 'tag', IMAGES.now, IMAGES.before);
}

/** Every step that is taken here must leave clients nothing to notice. */
async function unnoticed(step: string, work: () => Promise<void>): Promise<void> {
  const { failedWrites, lists } = await steps.take(step, work);
  const complaints = scene.load?.complaints() ?? [];
  expect({ failedWrites, lists, complaints }).toMatchObject({ failedWrites: 0, lists: 0 });
}

const replicas = (count: number) => ['apiServer', 'gateway', 'loadBalancer'].map((tier) => `${tier}.replicas=${count}`);

describe('the chart on nodes, under writes and watches through its load balancer', { timeout: TEST_MS }, () => {
  test('the chart of before is installed', async () => {
    await steps.take('install', () => scene.release.install());
    await scene.startLoad(LOAD);
  });

  test.each([
    ['upgrade', () => scene.release.upgrade()],
    ['rollback', () => scene.release.rollback()],
    ['upgrade again', () => scene.release.upgrade()],
    ['2 to 3 of each tier', () => scene.release.upgrade(...replicas(3))],
    ['3 to 2 of each tier', () => scene.release.upgrade(...replicas(2))],
  ] as const)('%s', unnoticed);

  test('pods of a tier are on different nodes', async () => {
    for (const component of ALL) {
      const nodes = (await scene.pods.of(component)).map(({ spec }) => spec.nodeName);
      expect(nodes.sort(), component).toEqual(NODES.map(({ name }) => name));
    }
  });

  test.each(NODES)('drain of $name', ({ name }) => unnoticed(`drain of ${name}`, () => drain(cluster, name)));

  test.each([
    ['serving certificates', rotations.servingCertificates],
    ['authority of servers and callers', rotations.authorityOfServers],
    ['authority of front proxies', rotations.authorityOfProxies],
    ['further authorities of callers', rotations.furtherAuthorities],
    ['passwords of NATS', rotations.passwordsOfNats],
    ['logins, tokens, keys of service accounts', rotations.whatIsReadAtTheStart],
    ['encryption turned on', rotations.encryptionTurnedOn],
    ['encryption keys', rotations.encryptionKeys],
  ] as const)('%s', (name, rotate) => unnoticed(name, () => rotate(scene)));

  test('every watch has seen every write', async () => {
    await scene.load?.stop();
    expect(scene.load?.complaints()).toEqual([]);
  });

  test('uninstall', async () => {
    await steps.take('uninstall', () => scene.release.uninstall());
    await waitUntil('its pods are gone', GONE_MS, async () => (await cluster.pods(NAMESPACE)).length === 0);
    const kinds =
      'deployments,statefulsets,services,configmaps,serviceaccounts,networkpolicies,poddisruptionbudgets,secrets';
    const owned = ['-l', 'app.kubernetes.io/part-of=orch', '-o', 'name'];
    const left = await cluster.kubectl.ok(['-n', NAMESPACE, 'get', kinds, ...owned]);
    expect(left.trim(), 'the authorities stay').toBe('secret/orch-pki');
  });
});
