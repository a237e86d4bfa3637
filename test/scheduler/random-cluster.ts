import type { Random } from './random.js';
import { APPS, EFFECT_OF, IMAGES, NAMESPACES, TAINTS } from './random-pods.js';

type Part = Readonly<Record<string, unknown>>;

/** Labels of the namespaces. */
export const NAMESPACE_LABELS: Readonly<Record<string, Part>> = { near: { kind: 'a' }, far: { kind: 'b' }, team: {} };

function labels(random: Random, name: string): Part {
  return {
    ...random.maybe(0.95, () => ({ 'kubernetes.io/hostname': name })),
    ...random.maybe(0.85, () => ({ 'topology.kubernetes.io/zone': random.pick(['z1', 'z2', 'z3']) })),
    ...random.maybe(0.8, () => ({ rack: random.pick(['r1', 'r2', 'r3', 'r4']) })),
    ...random.maybe(0.8, () => ({ disk: random.pick(['ssd', 'hdd']) })),
    ...random.maybe(0.8, () => ({ cores: random.pick(['1', '4', '8', 'many']) })),
  };
}

const taint = (random: Random): Part => ({
  key: random.pick(TAINTS),
  value: random.pick(['a', 'b']),
  effect: EFFECT_OF(random),
});

/** A node. Taints are told apart: the API server adds one to each new node. */
export function randomNode(random: Random, name: string): { readonly node: Part; readonly taints: readonly Part[] } {
  const allocatable = {
    cpu: String(random.between(1, 6)),
    memory: `${random.between(2, 12)}Gi`,
    'ephemeral-storage': `${random.between(4, 20)}Gi`,
    pods: String(random.between(3, 12)),
    ...random.maybe(0.3, () => ({ 'example.com/gpu': String(random.between(1, 3)) })),
  };
  const node = {
    metadata: { name, labels: labels(random, name) },
    spec: random.maybe(0.08, () => ({ unschedulable: true })),
    status: { allocatable, capacity: allocatable, images: random.some(IMAGES) },
  };
  const taints = random.chance(0.3) ? random.many(1, 2, () => taint(random)) : [];
  return { node, taints: [...new Map(taints.map((each) => [`${each.key}/${each.effect}`, each])).values()] };
}

/** Services, and the selectors of the ReplicaSets of each application. */
export function randomGroups(random: Random): {
  readonly services: readonly Part[];
  readonly replicaSets: readonly Part[];
} {
  const inNamespaces = <T>(make: (namespace: string, app: string) => T) =>
    NAMESPACES.flatMap((namespace) => APPS.map((app) => make(namespace, app)));
  const services = inNamespaces((namespace, app) => ({
    metadata: { name: app, namespace },
    spec: { selector: { app }, ports: [{ port: 80 }] },
  }));
  const replicaSets = inNamespaces((namespace, app) => ({
    metadata: { name: app, namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }));
  return { services: random.some(services), replicaSets: random.some(replicaSets, 0.7) };
}

/** Budgets for pods that are disrupted. */
export function randomBudgets(random: Random): readonly { readonly budget: Part; readonly status: Part }[] {
  return NAMESPACES.flatMap((namespace) =>
    random.some(APPS, 0.6).map((app) => ({
      budget: { metadata: { name: app, namespace }, spec: { minAvailable: 1, selector: { matchLabels: { app } } } },
      status: { disruptionsAllowed: random.between(0, 2), currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    })),
  );
}
