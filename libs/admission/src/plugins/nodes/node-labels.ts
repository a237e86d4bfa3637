import type { Names } from '@orch/machinery';

/** Labels that a node may set on itself, beside those of its own domains. */
const OWN = [
  'orch.io/hostname',
  'orch.io/os',
  'orch.io/arch',
  'beta.orch.io/os',
  'beta.orch.io/arch',
  'beta.orch.io/instance-type',
  'node.orch.io/instance-type',
  'topology.orch.io/zone',
  'topology.orch.io/region',
  'failure-domain.beta.orch.io/zone',
  'failure-domain.beta.orch.io/region',
];

type Labels = Readonly<Record<string, string>>;

/** Finds the system labels that a node may not set: with them it could attract pods that are not meant for it. */
export class NodeLabels {
  readonly #own: ReadonlySet<string>;
  readonly #ownDomains: readonly string[];
  readonly #restricted: string;
  readonly #system: readonly string[];

  constructor(names: Names) {
    const domain = (canonical: string) => names.key(`${canonical}/`).slice(0, -1);
    this.#own = new Set(OWN.map((key) => names.key(key)));
    this.#ownDomains = [domain('kubelet.orch.io'), domain('node.orch.io')];
    this.#restricted = domain('node-restriction.orch.io');
    this.#system = [domain('orch.io'), names.group('orch.io')];
  }

  /** Returns the changed labels that a node may not set, change or remove, sorted. */
  forbidden(labels: Labels = {}, old: Labels = {}): readonly string[] {
    const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
    return [...keys].filter((key) => !isSame(labels, old, key) && this.#isForbidden(key)).sort();
  }

  #isForbidden(key: string): boolean {
    const at = key.indexOf('/');
    const domain = at < 0 ? '' : key.slice(0, at);
    if (isWithin(domain, this.#restricted)) return true;
    if (!this.#system.some((system) => isWithin(domain, system))) return false;
    return !this.#own.has(key) && !this.#ownDomains.some((own) => isWithin(domain, own));
  }
}

const isSame = (a: Labels, b: Labels, key: string): boolean =>
  Object.hasOwn(a, key) && Object.hasOwn(b, key) && a[key] === b[key];

const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
