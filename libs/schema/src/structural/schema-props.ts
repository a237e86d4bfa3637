/** A number of a schema; those beyond 2^53 are bigint. */
export type Count = number | bigint;

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  /** An expression that is true for valid values. */
  readonly rule: string;
  /** Message for a violation; default `failed rule: ` and the rule. */
  readonly message?: string;
  /** An expression that returns the message; if it fails, `message` is used. */
  readonly messageExpression?: string;
  /** Reason of the error; default `FieldValueInvalid`. */
  readonly reason?: string;
  /** From the value to the field that the error is about; default the value itself. */
  readonly fieldPath?: string;
  /** Whether the rule is run without a previous value too, with an optional `oldSelf`. */
  readonly optionalOldSelf?: boolean;
}

/** A structural OpenAPI schema as in definitions: every keyword that affects objects. */
export interface SchemaProps {
  /** Name of a JSON type; absent for any value, and for integers or strings. */
  readonly type?: string;
  /** `byte`, `date`, `date-time` and others; unknown ones have no effect. */
  readonly format?: string;
  /** Whether the value may be null; default false. */
  readonly nullable?: boolean;
  /** Default of an absent member. */
  readonly default?: unknown;
  /** Allowed values. */
  readonly enum?: readonly unknown[];
  /** Names of the members that an object must have. */
  readonly required?: readonly string[];
  /** Members of an object. */
  readonly properties?: Readonly<Record<string, SchemaProps>>;
  /** Values of a map; true: of any kind. */
  readonly additionalProperties?: boolean | SchemaProps;
  /** Elements of a list. */
  readonly items?: SchemaProps;
  /** Most characters of a string. */
  readonly maxLength?: Count;
  /** Fewest characters of a string. */
  readonly minLength?: Count;
  /** Pattern (RE2) that must match a part of a string. */
  readonly pattern?: string;
  /** Most elements of a list. */
  readonly maxItems?: Count;
  /** Fewest elements of a list. */
  readonly minItems?: Count;
  /** Most members of an object. */
  readonly maxProperties?: Count;
  /** Fewest members of an object. */
  readonly minProperties?: Count;
  /** Largest number. */
  readonly maximum?: Count;
  /** Whether the number must be less than `maximum`; default false. */
  readonly exclusiveMaximum?: boolean;
  /** Smallest number. */
  readonly minimum?: Count;
  /** Whether the number must be more than `minimum`; default false. */
  readonly exclusiveMinimum?: boolean;
  /** Value that the number must be a multiple of. */
  readonly multipleOf?: Count;
  /** All of these must be met. */
  readonly allOf?: readonly SchemaProps[];
  /** At least one of these must be met. */
  readonly anyOf?: readonly SchemaProps[];
  /** Exactly one of these must be met. */
  readonly oneOf?: readonly SchemaProps[];
  /** Must not be met. */
  readonly not?: SchemaProps;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}
