import type { Scope, VersionName } from './changing-kind.js';
import type { DefinitionState } from './timeline.js';

/**
 * What clients observe: whether objects can be created and which defaults they get, discovery, and columns of tables.
 */
export interface Facet {
  readonly of: 'objects' | 'discovery' | 'columns';
  readonly version: VersionName;
  /** Scope of the requested path. */
  readonly scope: Scope;
}

/** The part of a stored definition that decides what is served. */
export interface StoredDefinition {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly scope: Scope;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
      readonly subresources?: { readonly status?: object };
      readonly additionalPrinterColumns?: readonly { readonly name: string }[];
    }[];
  };
  readonly status?: {
    readonly acceptedNames?: Names;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Schema {
  readonly properties: {
    readonly spec: { readonly properties: { readonly number: { readonly default: number } } };
  };
}

/** Names as definitions and discovery have them. */
export interface Names {
  readonly plural?: string;
  readonly singular?: string;
  readonly kind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** How discovery is compared. */
export function discoveryText(
  names: Names,
  scope: string,
  subresources: readonly string[],
  canBeMade: boolean,
): string {
  const { singular = '', kind = '', shortNames = [], categories = [] } = names;
  return JSON.stringify([singular, kind, [...shortNames], [...categories], scope, [...subresources], canBeMade]);
}

type Facets = Omit<DefinitionState, 'version' | 'from' | 'until'>;

/** Returns what is served of a definition: objects once its names are accepted, discovery once it is established. */
export function facetsOf({ metadata, spec, status = {} }: StoredDefinition): Facets {
  const { acceptedNames = {}, conditions = [] } = status;
  const holds = (type: string) => conditions.some((one) => one.type === type && one.status === 'True');
  const isEstablished = holds('Established');
  const isServed = Boolean(acceptedNames.plural) && (isEstablished || holds('NamesAccepted'));
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const number = spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties.number.default;
  return {
    uid: metadata.uid,
    isEstablished,
    isTerminating,
    number,
    served: isServed ? JSON.stringify([metadata.uid, acceptedNames, spec]) : 'absent',
    facet({ of, version, scope }) {
      const found = spec.versions.find(({ name, served }) => served && name === version);
      if (!isServed || !found) return 'absent';
      if (of === 'discovery') {
        const subresources = found.subresources?.status ? ['status'] : [];
        return isEstablished ? discoveryText(acceptedNames, spec.scope, subresources, !isTerminating) : 'absent';
      }
      if (scope !== spec.scope) return undefined;
      if (of === 'objects') return isTerminating ? 'terminating' : `number ${number}`;
      const columns = found.additionalPrinterColumns ?? [];
      return ['Name', ...(columns.length > 0 ? columns.map(({ name }) => name) : ['Age'])].join();
    },
  };
}
