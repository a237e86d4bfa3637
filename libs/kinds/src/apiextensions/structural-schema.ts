import type { StructuralSchema, ValidationRule } from '@orch/expressions';
import { isObject, type Json, numberAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { hasSchema, itemSchema, propertiesOf } from './schema-walk.js';

/** Schemas as expressions look at them, each made once. */
export class StructuralSchemas {
  readonly #made = new Map<Json, StructuralSchema>();

  /** @param keepsRules whether the rules of a schema are among what is made of it; default of all */
  constructor(private readonly keepsRules: (schema: Json) => boolean = () => true) {}

  of(schema: Json): StructuralSchema {
    const known = this.#made.get(schema);
    if (known) return known;
    const made = this.#make(schema);
    this.#made.set(schema, made);
    return made;
  }

  #make(schema: Json): StructuralSchema {
    const { additionalProperties: others } = schema;
    const items = itemSchema(schema);
    const properties = propertiesOf(schema).map(([name, property]) => [name, this.of(property)] as const);
    const keys = stringsAt(schema, 'x-kubernetes-list-map-keys');
    return {
      type: wordAt(schema, 'type'),
      format: wordAt(schema, 'format'),
      nullable: schema.nullable === true,
      default: schema.default,
      required: stringsAt(schema, 'required'),
      properties: properties.length > 0 ? Object.fromEntries(properties) : undefined,
      additionalProperties: isObject(others) ? this.of(others) : typeof others === 'boolean' ? others : undefined,
      items: items && this.of(items),
      maxLength: numberAt(schema, 'maxLength'),
      maxItems: numberAt(schema, 'maxItems'),
      maxProperties: numberAt(schema, 'maxProperties'),
      'x-kubernetes-int-or-string': schema['x-kubernetes-int-or-string'] === true,
      'x-kubernetes-preserve-unknown-fields': schema['x-kubernetes-preserve-unknown-fields'] === true,
      'x-kubernetes-embedded-resource': schema['x-kubernetes-embedded-resource'] === true,
      'x-kubernetes-list-type': wordAt(schema, 'x-kubernetes-list-type'),
      'x-kubernetes-list-map-keys': keys,
      'x-kubernetes-map-type': wordAt(schema, 'x-kubernetes-map-type'),
      'x-kubernetes-validations': this.keepsRules(schema) ? rulesOf(schema) : [],
    };
  }
}

/** Whether a schema has rules anywhere. */
export const hasRules = (schema: Json): boolean => hasSchema(schema, (each) => rulesOf(each).length > 0);

const wordAt = (schema: Json, name: string): string | undefined => textAt(schema, name) || undefined;

const rulesOf = (schema: Json): ValidationRule[] =>
  objectsAt(schema, 'x-kubernetes-validations').map((rule) => ({
    rule: textAt(rule, 'rule'),
    message: textAt(rule, 'message'),
    messageExpression: textAt(rule, 'messageExpression'),
  }));
