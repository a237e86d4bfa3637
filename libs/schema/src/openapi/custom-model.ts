import type { JsonObject } from '@orch/machinery';
import type { ResourceDescription, StructSchema } from '../model.js';
import { API_VERSION, KIND } from '../type-descriptions.js';
import type { Dialect } from './dialect.js';
import { publishedSchema } from './published-schema.js';

/** Source of a document's model: a declared struct, or a definition. */
export type ModelSource = StructSchema | CustomModel | CustomListModel;

/** Declared structs that every object and every list contain. */
export interface MetaStructs {
  /** `meta/v1.ObjectMeta` */
  readonly objectMeta: StructSchema;
  /** `meta/v1.ListMeta` */
  readonly listMeta: StructSchema;
}

/** Declarations of a definition about the objects of one of its versions. */
export interface DeclaredObjects {
  /** `openAPIV3Schema` as it was written; undefined if there is none. */
  readonly schema: JsonObject | undefined;
  /** Whether objects keep unknown members. */
  readonly preservesUnknown: boolean;
  /** Paths of the fields that objects can be selected by: `spec.color`. */
  readonly selectable: readonly string[];
}

type Described = Pick<ResourceDescription, 'group' | 'version' | 'kind' | 'listKind' | 'resource'>;

/** The objects of a custom kind in OpenAPI documents: a model that no struct declares. */
export class CustomModel {
  /** Discriminates it from structs. */
  readonly kind = 'custom';
  /** Model name: the group backwards, version and kind. */
  readonly openapi: string;
  /** The model of collections. */
  readonly list: CustomListModel;

  constructor(
    private readonly described: Described,
    private readonly declared: DeclaredObjects,
    private readonly meta: MetaStructs,
  ) {
    this.openapi = modelName(described, described.kind);
    this.list = new CustomListModel(described, this, declared, meta);
  }

  /** The model in a dialect. @param refer is called with each model that it refers to */
  write(refer: (source: ModelSource) => JsonObject, dialect: Dialect): JsonObject {
    const { schema, preservesUnknown } = this.declared;
    const extensions = extensionsOf(this.described, this.described.kind, this.declared);
    const open = preservesUnknown || schema?.[PRESERVES] === true;
    // Clients of version 2 take named members for the only ones.
    if (!schema || (open && dialect.siblingsOfRef)) return { type: 'object', ...extensions };
    const metadata = described("Standard object's metadata.", refer(this.meta.objectMeta), dialect);
    const published = publishedSchema(schema, dialect, metadata);
    const { properties } = published;
    const own = typeof properties === 'object' && properties !== null && !Array.isArray(properties) ? properties : {};
    return { ...published, properties: { ...own, ...TYPE, metadata }, ...extensions };
  }
}

/** Collections of the objects of a custom kind. */
class CustomListModel {
  /** Discriminates it from structs. */
  readonly kind = 'custom';
  /** Model name: that of its objects, and `List`. */
  readonly openapi: string;

  constructor(
    private readonly described: Described,
    private readonly items: CustomModel,
    private readonly declared: DeclaredObjects,
    private readonly meta: MetaStructs,
  ) {
    this.openapi = modelName(described, described.listKind);
  }

  /** The model in a dialect. @param refer is called with each model that it refers to */
  write(refer: (source: ModelSource) => JsonObject, dialect: Dialect): JsonObject {
    const { kind, listKind, resource } = this.described;
    return {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...TYPE,
        items: { description: `List of ${resource}.`, type: 'array', items: refer(this.items) },
        metadata: described('Standard list metadata.', refer(this.meta.listMeta), dialect),
      },
      ...extensionsOf(this.described, listKind, this.declared),
    };
  }
}

/** Extensions of definitions, whose names are the same in every profile, as are those of their models. */
const KINDS = 'x-kubernetes-group-version-kind';
const SELECTABLE = 'x-kubernetes-selectable-fields';
const PRESERVES = 'x-kubernetes-preserve-unknown-fields';

const TYPE: JsonObject = {
  apiVersion: { description: API_VERSION, type: 'string' },
  kind: { description: KIND, type: 'string' },
};

const extensionsOf = ({ group, version }: Described, kind: string, { selectable }: DeclaredObjects): JsonObject => ({
  [KINDS]: [{ group, kind, version }],
  ...(selectable.length > 0 && { [SELECTABLE]: selectable.map((fieldPath) => ({ fieldPath })) }),
});

const modelName = ({ group, version }: Described, kind: string): string =>
  [...group.split('.').reverse(), version, kind].join('.');

const described = (description: string, reference: JsonObject, { siblingsOfRef }: Dialect): JsonObject =>
  siblingsOfRef ? { description, ...reference } : { description, allOf: [reference] };
