import { isAddress, labelValueErrors, parseQuantity, qualifiedNameErrors } from '@orch/machinery';
import { OptionsError } from '@orch/runtime';

/** Checks an IP address. @throws Error */
export function checkAddress(text: string): void {
  if (!isAddress(text)) throw new Error(`${JSON.stringify(text)} is not an IP address`);
}

/** Checks IP addresses. @throws Error for the first that is none */
export function checkAddresses(texts: readonly string[]): void {
  for (const text of texts) checkAddress(text);
}

/** Checks the address of a container runtime. @throws Error */
export function checkEndpoint(text: string): void {
  if (text !== 'process:' && !/^(?:unix:\/\/)?\/./.test(text)) throw new Error('must be unix:///path or process:');
}

/** Checks headers of HTTP, `name:value`. @throws Error for the first that is none */
export function checkHeaders(headers: readonly string[]): void {
  for (const header of headers)
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+:/.test(header)) throw new Error(`${JSON.stringify(header)} is not name:value`);
}

const RESERVABLE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

/** Returns a check of reserved amounts by resource, for the option of that name. */
export const checkReserved =
  (option: string) =>
  (amounts: ReadonlyMap<string, string>): void => {
    const problems = [...amounts].flatMap(([resource, amount]) => {
      if (!RESERVABLE.has(resource)) return [`--${option}: cannot reserve "${resource}" resource`];
      try {
        if (parseQuantity(amount).nanos >= 0n) return [];
        return [`--${option}: resource quantity for "${resource}" cannot be negative: ${amount}`];
      } catch {
        return [`--${option}: ${JSON.stringify(amount)} is not a quantity`];
      }
    });
    if (problems.length > 0) throw new OptionsError(problems);
  };

/** Labels of the product's own domains that an agent may set on its node; others need a prefix of their own. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  ...['hostname', 'arch', 'os', 'instance-type'].map((name) => `kubernetes.io/${name}`),
  ...['beta.kubernetes.io/arch', 'beta.kubernetes.io/os', 'beta.kubernetes.io/instance-type'],
  ...['failure-domain.beta', 'topology'].flatMap((domain) => [
    `${domain}.kubernetes.io/zone`,
    `${domain}.kubernetes.io/region`,
  ]),
  'node.kubernetes.io/instance-type',
]);
const OWN_DOMAIN = /(?:^|\.)(?:kubernetes|k8s|orch)\.io$/;
const FREE_DOMAIN = /(?:^|\.)(?:kubelet|node)\.(?:kubernetes|orch)\.io$/;

/** Checks labels of a node. @throws OptionsError */
export function checkLabels(labels: ReadonlyMap<string, string>): void {
  const problems = [...labels].flatMap(([key, value]) => {
    const errors = [...qualifiedNameErrors(key), ...labelValueErrors(value)];
    if (errors.length === 0 && !mayBeSet(key)) errors.push('agents may not set this label of the product');
    return errors.map((error) => `--node-labels: ${key}: ${error}`);
  });
  if (problems.length > 0) throw new OptionsError(problems);
}

function mayBeSet(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (!OWN_DOMAIN.test(domain) || FREE_DOMAIN.test(domain)) return true;
  return OWN_LABELS.has(key.replace(/(^|\.)orch\.io\//, '$1kubernetes.io/'));
}

/** A taint as options have it. */
interface TaintOption {
  /** Qualified name. */
  readonly key: string;
  /** Label value; may be empty. */
  readonly value: string;
  /** Consequence for pods that do not tolerate it. */
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** Parses `key=value:effect` or `key:effect`. @throws Error */
export function parseTaint(text: string): TaintOption {
  const [, key = '', value = '', effect = ''] = /^([^=:]*)(?:=([^:]*))?:(.*)$/.exec(text) ?? [];
  if (effect !== 'NoSchedule' && effect !== 'PreferNoSchedule' && effect !== 'NoExecute')
    throw new Error(`${JSON.stringify(text)} is not key=value:effect (NoSchedule, PreferNoSchedule or NoExecute)`);
  const [error] = [...qualifiedNameErrors(key), ...labelValueErrors(value)];
  if (error) throw new Error(`${JSON.stringify(text)}: ${error}`);
  return { key, value, effect };
}

/** Checks taints of a node. @throws Error for the first that is none, or is a repetition */
export function checkTaints(texts: readonly string[]): void {
  const seen = new Set<string>();
  for (const { key, effect } of texts.map(parseTaint)) {
    const name = `${key}:${effect}`;
    if (seen.has(name)) throw new Error(`duplicated taints with the same key and effect: ${name}`);
    seen.add(name);
  }
}
