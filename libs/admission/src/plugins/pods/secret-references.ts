import type { Container, EphemeralContainer, Pod, ServiceAccount } from '@orch/schema/types/core/v1';

type AnyContainer = Pick<Container | EphemeralContainer, 'name' | 'env' | 'envFrom'>;

/** Returns why a pod references a secret that its service account does not; undefined if it does not. */
export function secretProblem({ spec = {} }: Pod, account: ServiceAccount): string | undefined {
  const allowed = namesOf(account.secrets);
  const { volumes = [], initContainers = [], containers = [] } = spec;
  const mounted = volumes.map(({ secret }) => secret?.secretName);
  const volume = mounted.find((name) => name !== undefined && !allowed.has(name));
  if (volume !== undefined) return `volume with ${notNamed(volume, account)}`;
  return (
    firstOf(initContainers, (each) => containerProblem('init container', each, account, allowed)) ??
    firstOf(containers, (each) => containerProblem('container', each, account, allowed)) ??
    pullProblem(spec, account)
  );
}

/** Returns why an ephemeral container references a secret that the service account does not; undefined if none does. */
export function ephemeralSecretProblem({ spec }: Pod, account: ServiceAccount): string | undefined {
  const allowed = namesOf(account.secrets);
  const { ephemeralContainers = [] } = spec ?? {};
  return firstOf(ephemeralContainers, (each) => containerProblem('ephemeral container', each, account, allowed));
}

const namesOf = (all: readonly { name?: string }[] = []): ReadonlySet<string> =>
  new Set(all.map(({ name = '' }) => name));

const notNamed = (secret: string, { metadata }: ServiceAccount): string =>
  `secret.secretName="${secret}" is not allowed because service account ${metadata?.name} does not reference that secret`;

function containerProblem(
  what: string,
  { name, env = [], envFrom = [] }: AnyContainer,
  account: ServiceAccount,
  allowed: ReadonlySet<string>,
): string | undefined {
  for (const variable of env) {
    const secret = variable.valueFrom?.secretKeyRef;
    if (secret && !allowed.has(secret.name ?? ''))
      return `${what} ${name} with envVar ${variable.name} referencing ${notNamed(secret.name ?? '', account)}`;
  }
  for (const { secretRef } of envFrom) {
    if (secretRef && !allowed.has(secretRef.name ?? ''))
      return `${what} ${name} with envFrom referencing ${notNamed(secretRef.name ?? '', account)}`;
  }
  return undefined;
}

function pullProblem({ imagePullSecrets = [] }: NonNullable<Pod['spec']>, account: ServiceAccount): string | undefined {
  const allowed = namesOf(account.imagePullSecrets);
  const at = imagePullSecrets.findIndex(({ name = '' }) => !allowed.has(name));
  if (at < 0) return undefined;
  const name = imagePullSecrets[at]?.name ?? '';
  return `imagePullSecrets[${at}].name="${name}" is not allowed because service account ${account.metadata?.name} does not reference that imagePullSecret`;
}

function firstOf<T>(all: readonly T[], problemOf: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const problem = problemOf(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
