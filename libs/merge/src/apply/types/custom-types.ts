import type { JsonObject, JsonValue } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { isObject } from '../../json-values.js';
import { fieldElement } from '../paths/path-element.js';
import { declaredType } from './declared-types.js';
import { ATOMIC, DEDUCED, type FieldType, type ListType, type MapType, type ScalarForm, type Type } from './type.js';

const STRING: Type = { scalar: 'string' };

/**
 * Returns the type for owning and merging objects of a custom kind, from the OpenAPI v3 schema of one of its versions.
 * The schema is structural, as definitions are validated when they are written; parts that it leaves open are owned
 * like data without a schema.
 * @param objectMeta struct `meta/v1.ObjectMeta`: definitions do not declare metadata
 */
export function customType(schema: JsonObject, objectMeta: StructSchema): Type {
  const maker = new CustomTypes(declaredType(objectMeta, { zeros: false }));
  return maker.root(schema);
}

class CustomTypes {
  constructor(private readonly metadata: Type) {}

  root(schema: JsonObject): Type {
    const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
    const map = this.map(schema, preserves);
    return { map: { ...map, fields: new Map([...map.fields, ...this.head()]), plans: [] } };
  }

  private head(): [string, FieldType][] {
    return [field('apiVersion', STRING), field('kind', STRING), field('metadata', this.metadata)];
  }

  /** @param above whether an enclosing schema preserves unknown fields */
  private type(schema: JsonObject, above: boolean): Type {
    const preserves = above || schema['x-kubernetes-preserve-unknown-fields'] === true;
    switch (schema.type) {
      case 'object':
        return { map: this.map(schema, preserves) };
      case 'array':
        return { list: this.list(schema, preserves) };
      case 'integer':
      case 'number':
        return { scalar: 'numeric' };
      case 'boolean':
        return { scalar: 'boolean' };
      case 'string':
        return { scalar: stringForm(schema.format) };
      default:
        return { scalar: 'untyped', list: this.list(schema, preserves), map: this.map(schema, preserves) };
    }
  }

  private map(schema: JsonObject, preserves: boolean): MapType {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const fields = new Map<string, FieldType>();
    for (const name of Object.keys(properties)) {
      const property = properties[name];
      if (isObject(property)) fields.set(...field(name, this.type(property, preserves), property.default));
    }
    if (schema['x-kubernetes-embedded-resource'] === true) for (const entry of this.head()) fields.set(...entry);
    const others = this.others(schema.additionalProperties, preserves || fields.size === 0, preserves);
    const atomic = schema['x-kubernetes-map-type'] === 'atomic';
    return { atomic, fields, ...(others && { others }), always: [], plans: [] };
  }

  /** @param open whether undeclared keys are allowed */
  private others(additional: JsonValue | undefined, open: boolean, preserves: boolean): Type | undefined {
    if (additional === undefined) return open ? DEDUCED : undefined;
    if (isObject(additional)) return this.type(additional, preserves);
    return additional === true ? DEDUCED : undefined;
  }

  private list(schema: JsonObject, preserves: boolean): ListType {
    const items = isObject(schema.items) ? this.type(schema.items, preserves) : ATOMIC;
    const keys = schema['x-kubernetes-list-map-keys'];
    switch (schema['x-kubernetes-list-type']) {
      case 'set':
        return { relation: 'set', items, keys: [], kept: {} };
      case 'map':
        return {
          relation: 'map',
          items,
          keys: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
          kept: {},
        };
      default:
        return { relation: 'atomic', items, keys: [], kept: {} };
    }
  }
}

/** Texts with a format other than these have the form that the format implies. */
const stringForm = (format: JsonValue | undefined): ScalarForm =>
  format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';

const field = (name: string, type: Type, byDefault?: JsonValue): [string, FieldType] => [
  name,
  {
    element: fieldElement(name),
    type,
    ...(byDefault !== undefined && byDefault !== null && { default: byDefault }),
  },
];
