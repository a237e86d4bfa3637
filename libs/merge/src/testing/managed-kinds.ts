import { type JsonObject, namesOf, parseApiVersion } from '@orch/machinery';
import { sharedVectors as vectors } from '@orch/machinery/testing';
import { loadScheme } from '@orch/schema';
import {
  bothTypes,
  customType,
  DEDUCED,
  declaredType,
  FieldManager,
  type ManagedKind,
  pathsOf,
  type VersionTypes,
} from '../apply/index.js';

const scheme = loadScheme(namesOf('kubernetes'));
const objectMeta = scheme.struct('meta/v1.ObjectMeta');

const REMOVED = new Set(['v1beta1', 'v1beta2']);

/** What a vector says of its kind. */
export interface VectorKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Objects are typed values of the reference (built-in kinds of managedfields vectors), or what was sent. */
  readonly zeros: boolean;
  /** Schemas by version, of custom kinds. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  readonly deduced?: boolean;
  readonly subresource?: string;
  /** Paths of fields that a write does not change. */
  readonly resetFields?: readonly (readonly string[])[];
}

/** The types of a version of a vector's kind. */
export function typesOf(vector: VectorKind, apiVersion: string): VersionTypes | undefined {
  if (vector.deduced) return bothTypes(DEDUCED);
  const gv = parseApiVersion(apiVersion);
  if (vector.schemas) {
    const schema = gv && vector.schemas[gv.version];
    return schema && bothTypes(customType(schema, objectMeta));
  }
  // Removed versions of which nothing but these fields is looked at.
  const version = gv?.group === 'apps' && REMOVED.has(gv.version) ? 'v1' : gv?.version;
  const schema = gv && version && scheme.kind(gv.group, version, vector.kind)?.schema;
  if (!schema) return undefined;
  return {
    stored: declaredType(schema, { zeros: vector.zeros }),
    configuration: declaredType(schema, { zeros: false }),
  };
}

/** The manager of a vector's kind. Versions have the same fields, so converting is naming. */
export function managerOfVector(vector: VectorKind): FieldManager {
  const reset = pathsOf(vector.resetFields ?? []);
  const versions = new Map<string, VersionTypes | undefined>();
  const kind: ManagedKind = {
    apiVersion: vector.apiVersion,
    kind: vector.kind,
    ...(vector.subresource !== undefined && { subresource: vector.subresource }),
    typesOf: (apiVersion) => {
      if (!versions.has(apiVersion)) versions.set(apiVersion, typesOf(vector, apiVersion));
      return versions.get(apiVersion);
    },
    resetFields: { get: () => reset },
  };
  return new FieldManager(kind, (object, apiVersion) => ({ ...object, apiVersion }));
}

/** The declared struct of a vector's kind. */
export function schemaOf({ apiVersion, kind }: VectorKind) {
  const gv = parseApiVersion(apiVersion);
  const schema = gv && scheme.kind(gv.group, gv.version, kind)?.schema;
  if (!schema) throw new Error(`no schema of ${apiVersion} ${kind}`);
  return schema;
}

/** The objects that the steps of a sequence of writes leave. */
export interface ManagedVector {
  readonly kind: VectorKind;
  readonly objects: readonly JsonObject[];
}

interface Sequence {
  readonly kind: string;
  readonly type: string;
  readonly apiVersion: string;
  readonly schemas?: Record<string, JsonObject>;
  readonly steps: readonly { live?: JsonObject }[];
}

/** What the sequences of writes of the vectors leave, step by step. */
export const managedVectors = (): ManagedVector[] =>
  vectors<Sequence>('managedfields-vectors.jsonl').map(({ kind, type, apiVersion, schemas, steps }) => ({
    kind: { apiVersion, kind, zeros: type === 'builtin', deduced: type === 'deduced', ...(schemas && { schemas }) },
    objects: steps.flatMap(({ live }) => (live ? [live] : [])),
  }));
