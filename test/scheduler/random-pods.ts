import type { Random } from './random.js';

type Part = Readonly<Record<string, unknown>>;

export const NAMESPACES = ['near', 'far', 'team'] as const;
export const APPS = ['web', 'db', 'job'] as const;
export const PRIORITIES = { low: -5, none: 0, middle: 10, high: 100, polite: 200 } as const;
export const KEYS = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'rack'] as const;
export const TAINTS = ['dedicated', 'spot'] as const;
export const IMAGES = [
  { names: ['registry.test/small:1'], sizeBytes: 40_000_000 },
  { names: ['registry.test/large:latest', 'registry.test/large@sha256:1'], sizeBytes: 900_000_000 },
  { names: ['registry.test/huge:2'], sizeBytes: 3_000_000_000 },
] as const;

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
/** The taint that new nodes get from the API server. */
export const EFFECT_OF = (random: Random) => random.pick(EFFECTS);

const labelsOf = (random: Random): Record<string, string> => ({
  app: random.pick(APPS),
  ...random.maybe(0.5, () => ({ tier: random.pick(['front', 'back']) })),
  ...random.maybe(0.4, () => ({ version: random.pick(['1', '2']) })),
});

function selector(random: Random, mayHaveVersion = true): Part {
  if (random.chance(0.05)) return {};
  if (random.chance(0.2)) {
    const operator = random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']);
    const values = operator.endsWith('In') ? { values: random.pick([['front'], ['front', 'back']]) } : {};
    return { matchExpressions: [{ key: 'tier', operator, ...values }] };
  }
  return {
    matchLabels: { app: random.pick(APPS), ...random.maybe(mayHaveVersion ? 0.2 : 0, () => ({ version: '1' })) },
  };
}

function term(random: Random): Part {
  return {
    topologyKey: random.pick(KEYS),
    ...random.maybe(0.95, () => ({ labelSelector: selector(random) })),
    ...random.maybe(0.2, () => ({ namespaces: random.some(NAMESPACES) })),
    ...random.maybe(0.2, () => ({
      namespaceSelector: random.pick<Part>([{}, { matchLabels: { kind: 'a' } }, { matchLabels: { kind: 'b' } }]),
    })),
  };
}

const weighedTerm = (random: Random): Part => ({ weight: random.between(1, 100), podAffinityTerm: term(random) });

function terms(random: Random, required: number, preferred: number): Part {
  return {
    ...random.maybe(required, () => ({
      requiredDuringSchedulingIgnoredDuringExecution: random.many(1, 2, () => term(random)),
    })),
    ...random.maybe(preferred, () => ({
      preferredDuringSchedulingIgnoredDuringExecution: random.many(1, 2, () => weighedTerm(random)),
    })),
  };
}

function expression(random: Random): Part {
  const operator = random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
  if (operator === 'Gt' || operator === 'Lt') return { key: 'cores', operator, values: [String(random.between(1, 8))] };
  const values = operator.endsWith('In') ? { values: random.some(['ssd', 'hdd', 'none'], 0.6) } : undefined;
  if (values?.values.length === 0) values.values.push('ssd');
  return { key: 'disk', operator, ...values };
}

function nodeTerm(random: Random, nodes: readonly string[]): Part {
  if (random.chance(0.15)) {
    const operator = random.pick(['In', 'In', 'NotIn']);
    return { matchFields: [{ key: 'metadata.name', operator, values: [random.pick(nodes)] }] };
  }
  return { matchExpressions: random.many(1, 2, () => expression(random)) };
}

function nodeAffinity(random: Random, nodes: readonly string[]): Part {
  return {
    ...random.maybe(0.5, () => ({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: random.many(1, 2, () => nodeTerm(random, nodes)),
      },
    })),
    ...random.maybe(0.6, () => ({
      preferredDuringSchedulingIgnoredDuringExecution: random.many(1, 3, () => ({
        weight: random.between(1, 100),
        preference: nodeTerm(random, nodes),
      })),
    })),
  };
}

function spread(random: Random, labels: Record<string, string>): Part[] {
  const kinds = KEYS.flatMap((topologyKey) =>
    ['DoNotSchedule', 'ScheduleAnyway'].map((whenUnsatisfiable) => ({ topologyKey, whenUnsatisfiable })),
  );
  // A label may not be both in the selector and in matchLabelKeys.
  return random.some(kinds, 0.3).map((kind) => ({
    ...kind,
    maxSkew: random.between(1, 3),
    labelSelector: random.chance(0.7) ? { matchLabels: { app: labels.app } } : selector(random, false),
    ...random.maybe(kind.whenUnsatisfiable === 'DoNotSchedule' ? 0.2 : 0, () => ({ minDomains: random.between(1, 4) })),
    ...random.maybe(0.2, () => ({ nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) })),
    ...random.maybe(0.3, () => ({ nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) })),
    ...random.maybe(0.2, () => ({ matchLabelKeys: ['version'] })),
  }));
}

function toleration(random: Random): Part {
  const key = random.pick(TAINTS);
  const effect = random.maybe(0.6, () => ({ effect: random.pick(EFFECTS) }));
  if (random.chance(0.5)) return { key, operator: 'Exists', ...effect };
  return { key, operator: 'Equal', value: random.pick(['a', 'b']), ...effect };
}

function requests(random: Random): Part {
  return {
    ...random.maybe(0.8, () => ({ cpu: `${random.between(1, 16) * 100}m` })),
    ...random.maybe(0.8, () => ({ memory: `${random.between(1, 12) * 256}Mi` })),
    ...random.maybe(0.1, () => ({ 'ephemeral-storage': `${random.between(1, 8)}Gi` })),
  };
}

function container(random: Random, name: string, mayHavePorts: boolean): Part {
  const gpu = random.maybe(0.12, () => ({ 'example.com/gpu': String(random.between(1, 2)) }));
  const image = random.pick([
    'registry.test/small:1',
    'registry.test/large',
    'registry.test/huge:2',
    'registry.test/other',
  ]);
  const port = () => ({
    containerPort: 80,
    hostPort: random.between(8000, 8001),
    ...random.maybe(0.3, () => ({ hostIP: random.pick(['127.0.0.1', '10.0.0.1']) })),
    ...random.maybe(0.2, () => ({ protocol: 'UDP' })),
  });
  return {
    name,
    image,
    resources: { requests: { ...requests(random), ...gpu }, ...(Object.keys(gpu).length > 0 && { limits: gpu }) },
    ...random.maybe(mayHavePorts ? 0.15 : 0, () => ({ ports: [port()] })),
  };
}

/** A pod of any kind. @param spec what is the same for all pods of a caller */
export function randomPod(random: Random, name: string, nodes: readonly string[], spec: Part): Part {
  const labels = labelsOf(random);
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: labels.app,
    uid: `uid-${labels.app}`,
    controller: true,
  };
  const affinity = {
    ...random.maybe(0.3, () => ({ nodeAffinity: nodeAffinity(random, nodes) })),
    ...random.maybe(0.3, () => ({ podAffinity: terms(random, 0.35, 0.7) })),
    ...random.maybe(0.3, () => ({ podAntiAffinity: terms(random, 0.5, 0.6) })),
  };
  return {
    metadata: {
      name,
      namespace: random.pick(NAMESPACES),
      labels,
      ...random.maybe(0.3, () => ({ ownerReferences: [owner] })),
    },
    spec: {
      containers: random.many(1, 2, (at) => container(random, `c${at}`, at === 0)),
      ...random.maybe(0.2, () => ({ initContainers: [container(random, 'init', false)] })),
      ...random.maybe(0.2, () => ({ nodeSelector: { disk: random.pick(['ssd', 'hdd']) } })),
      affinity,
      topologySpreadConstraints: random.chance(0.4) ? spread(random, labels) : [],
      tolerations: random.many(0, 2, () => toleration(random)),
      priorityClassName: random.pick(Object.keys(PRIORITIES)),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 600,
      ...spec,
    },
  };
}
