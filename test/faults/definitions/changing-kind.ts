import type { Random } from '../random.js';

/** The collection of definitions. */
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const VERSIONS = ['v1', 'v2'] as const;
export type VersionName = (typeof VERSIONS)[number];
export type Scope = 'Cluster' | 'Namespaced';
export const NAMESPACE = 'default';

const CATEGORIES = ['changing', 'odd'];
/** More than one definition of a group wants these: who comes later does without. */
const CONTESTED = ['ca', 'cb'];

/** The desired spec of a definition. */
export interface Design {
  /** Counts what was ever asked for of a kind: objects are given the number as a default, and lose those of others. */
  readonly number: number;
  readonly scope: Scope;
  readonly served: readonly VersionName[];
  readonly storage: VersionName;
  /** Printer columns; none for those that every kind has. */
  readonly columns: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly hasStatus: boolean;
  readonly isSelectable: boolean;
}

/** A custom kind whose definition is made, changed and deleted again and again, or one that stays as it is. */
export class ChangingKind {
  readonly group: string;
  readonly plural: string;
  /** The last requested design; undefined before the first. */
  design: Design | undefined;
  #numbers = 0;

  constructor(
    readonly index: number,
    readonly isSteady = false,
  ) {
    this.group = `g${index % 3}.changing.example.com`;
    this.plural = `${isSteady ? 'steady' : 'changing'}${index}s`;
  }

  /** Name in records, which is also the name of the definition. */
  get name(): string {
    return `${this.plural}.${this.group}`;
  }

  get kind(): string {
    return this.plural.charAt(0).toUpperCase() + this.plural.slice(1, -1);
  }

  get scope(): Scope {
    return this.design?.scope ?? 'Namespaced';
  }

  get namespace(): string {
    return this.scope === 'Namespaced' ? NAMESPACE : '';
  }

  /** Path of a definition. */
  get path(): string {
    return `${DEFINITIONS}/${this.name}`;
  }

  /** Path of all objects, or of those of a namespace. */
  objects(version: VersionName, namespace = ''): string {
    const within = namespace === '' ? '' : `/namespaces/${namespace}`;
    return `/apis/${this.group}/${version}${within}/${this.plural}`;
  }

  ref(version: VersionName) {
    return { group: this.group, version, resource: this.plural };
  }

  /** Draws the design of a new definition, with everything that other checks rely on. */
  first(random: Random): Design {
    const scope = this.isSteady || random.chance(0.7) ? 'Namespaced' : 'Cluster';
    const plain = {
      columns: [],
      shortNames: [`s${this.index}`],
      categories: [],
      hasStatus: false,
      isSelectable: false,
    };
    return { number: ++this.#numbers, scope, served: VERSIONS, storage: 'v1', ...plain };
  }

  /** Draws the design of a change. */
  next(random: Random): Design {
    const before = this.design ?? this.first(random);
    const some = <T>(values: readonly T[]): T[] => values.filter(() => random.chance(0.5));
    const served = random.weighted({ both: 6, v1: 2, v2: 2 });
    return {
      number: ++this.#numbers,
      scope: before.scope,
      served: served === 'both' ? VERSIONS : [served],
      storage: random.pick(VERSIONS),
      columns: some(['Stamp', 'Flag']),
      shortNames: [`s${this.index}`, ...(random.chance(0.2) ? [random.pick(CONTESTED)] : [])],
      categories: some(CATEGORIES),
      hasStatus: random.chance(0.5),
      isSelectable: random.chance(0.3),
    };
  }

  definition(design: Design) {
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: this.name },
      spec: { group: this.group, scope: design.scope, ...this.changeable(design) },
    };
  }

  /** Returns the part of a definition's spec that may change. */
  changeable(design: Design) {
    const { shortNames, categories } = design;
    return {
      names: { plural: this.plural, singular: this.plural.slice(0, -1), kind: this.kind, shortNames, categories },
      versions: VERSIONS.map((name) => versionOf(name, design)),
    };
  }
}

function versionOf(name: VersionName, design: Design) {
  const { number, columns, hasStatus, isSelectable } = design;
  const text = { type: 'string' };
  const numbered = { type: 'object', default: {}, properties: { number: { type: 'integer', default: number } } };
  const data = { type: 'object', properties: { stamp: text, flag: text, padding: text } };
  return {
    name,
    served: design.served.includes(name),
    storage: design.storage === name,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: numbered, data } } },
    ...(hasStatus && { subresources: { status: {} } }),
    ...(isSelectable && { selectableFields: [{ jsonPath: '.data.flag' }] }),
    additionalPrinterColumns: columns.map((column) => ({
      name: column,
      type: 'string',
      jsonPath: `.data.${column.toLowerCase()}`,
    })),
  };
}
