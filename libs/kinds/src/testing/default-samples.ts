import type { ApiObject, JsonObject, JsonValue } from '@orch/machinery';
import type { Field, ResourceDefinition, ScalarKind, Schema, StructSchema } from '@orch/schema';

/** Texts that conditions of defaults look for, where no enumeration names them. */
const TEXTS = ['', 'a', 'a:latest', 'Container', 'Group', 'User', 'ServiceAccount', 'GenericEphemeralVolume'];

const SCALARS: Readonly<Record<Exclude<ScalarKind, 'json'>, readonly JsonValue[]>> = {
  string: TEXTS,
  bool: [true, false],
  int32: [0, 1, -1, 7],
  int64: [0, 1, -1, 7],
  uint32: [0, 1],
  uint64: [0, 1],
  float: [0, 1.5],
  double: [0, 1.5],
  bytes: ['YQ=='],
  time: ['2026-01-02T00:00:00Z'],
  microTime: ['2026-01-02T00:00:00.000000Z'],
  duration: ['1s'],
  quantity: ['1', '100u', '1500m'],
  intOrString: [0, 1, '25%', 'a'],
  rawExtension: [{}],
  fieldsV1: [{}],
};

/** Structs within structs; those of a pod in a CronJob lie twelve deep. */
const MAX_DEPTH = 16;

/**
 * An object with some of what its kind declares, whatever that means together; number 0 has nothing. The same number makes
 * the same object; a field that is declared anew changes nothing of the others.
 */
export function sampleObject(definition: ResourceDefinition, number: number): ApiObject {
  const { group, version, kind, schema } = definition;
  const fields = new Map([...schema.fields].filter(([name]) => !['apiVersion', 'kind', 'metadata'].includes(name)));
  const chance = (path: string): number => (number === 0 ? 1 : fraction(`${number} ${path}`));
  const value = structOf({ ...schema, fields }, kind, { chance, within: [] }) as JsonObject;
  return { apiVersion: group ? `${group}/${version}` : version, kind, metadata: { name: 'a' }, ...value };
}

interface Making {
  /** From 0 to 1, for a place in the object. */
  readonly chance: (path: string) => number;
  /** Structs that are being made, by id. */
  readonly within: readonly string[];
}

function structOf(schema: StructSchema, path: string, making: Making): JsonValue {
  const { chance, within } = making;
  const inner = { chance, within: [...within, schema.id] };
  const made: JsonObject = {};
  for (const field of schema.fields.values()) {
    const at = `${path}.${field.name}`;
    const likely = isLeaf(field.schema) ? 0.5 : 0.75;
    const value = chance(`${at}?`) < likely ? valueAt(field.schema, at, inner, field) : undefined;
    if (value !== undefined) made[field.name] = value;
  }
  return made;
}

const isLeaf = ({ kind }: Schema): boolean => kind !== 'struct' && kind !== 'list' && kind !== 'map';

function valueAt(schema: Schema, path: string, making: Making, field?: Field): JsonValue | undefined {
  const { chance, within } = making;
  switch (schema.kind) {
    case 'struct':
      if (schema.customJson || within.length > MAX_DEPTH || within.includes(schema.id)) return undefined;
      return structOf(schema, path, making);
    case 'list':
      return ['0', '1']
        .slice(0, Math.ceil(chance(`${path}#`) * 3 - 0.5))
        .map((at) => valueAt(schema.items, `${path}.${at}`, making, field))
        .filter((item) => item !== undefined);
    case 'map': {
      const keys = ['cpu', 'memory'].filter((key) => chance(`${path}.${key}?`) < 0.7);
      return Object.fromEntries(keys.map((key) => [key, valueAt(schema.values, `${path}.${key}`, making) ?? null]));
    }
    case 'json':
      return 'a';
    default:
      return oneOf(field?.enum ?? SCALARS[schema.kind], chance(path));
  }
}

const oneOf = (values: readonly JsonValue[], chance: number): JsonValue | undefined =>
  values[Math.floor(chance * values.length)];

/** FNV-1a, with the last steps of MurmurHash3, as similar texts are to have nothing in common. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
