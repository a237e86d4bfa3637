// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject, JsonValue } from '@orch/machinery';
import type * as meta_v1 from '../meta/v1.js';

/** Defines a kind of its own and has it served. */
export interface CustomResourceDefinition {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CustomResourceDefinitionSpec;
  /** The observed state; written by the system. */
  status?: CustomResourceDefinitionStatus;
}

/** A collection of CustomResourceDefinition objects. */
export interface CustomResourceDefinitionList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CustomResourceDefinition[];
}

/** Objects to be converted. */
export interface ConversionRequest {
  /** Tells the call from others; the answer must repeat it. */
  uid?: string;
  /** The group-version to convert to. */
  desiredAPIVersion?: string;
  /** The objects as they are, perhaps of several versions. */
  objects?: JsonObject[];
}

/** Converted objects, or a failure. */
export interface ConversionResponse {
  /** The uid of the request. */
  uid?: string;
  /** The objects in the same order as in the request. Empty on failure. Nothing of their metadata but labels and annotations may change. */
  convertedObjects?: JsonObject[];
  /** Status Success, or Failure with a message for people. */
  result?: meta_v1.Status;
}

/** What a conversion webhook is sent and answers. */
export interface ConversionReview {
  apiVersion?: string;
  kind?: string;
  /** Set in the call. */
  request?: ConversionRequest;
  /** Set in the answer. */
  response?: ConversionResponse;
}

/** One more column in the table form. */
export interface CustomResourceColumnDefinition {
  /** Heading of the column. */
  name?: string;
  /** OpenAPI type of the cells: string, integer, number or boolean, or date for times. */
  type?: string;
  /** Refines the type; "name" marks the column that identifies the object. */
  format?: string;
  /** What the column shows. */
  description?: string;
  /** 0 for columns that always show; higher ones may be left out where room is short. */
  priority?: number;
  /** Where in the object the value stands: a simple JSON path such as ".spec.replicas". */
  jsonPath?: string;
}

/** How objects get from one version to another. */
export interface CustomResourceConversion {
  /** None only replaces apiVersion, Webhook calls a webhook. */
  strategy?: string;
  /** How the webhook is called. Required when the strategy is Webhook, forbidden otherwise. */
  webhook?: WebhookConversion;
}

/** One aspect of the state of a definition. */
export interface CustomResourceDefinitionCondition {
  /** What the condition is about: Established, NamesAccepted, NonStructuralSchema, Terminating and others. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** What the kind and its resource are called. */
export interface CustomResourceDefinitionNames {
  /** Name in paths, in lower case; the definition itself is named "plural.group". Cannot be changed. */
  plural?: string;
  /** Name of one object, in lower case. Default: the kind in lower case. */
  singular?: string;
  /** Abbreviations that clients may accept. */
  shortNames?: string[];
  /** The kind, in the singular and in camel case. */
  kind?: string;
  /** The kind of lists. Default: the kind with List appended. */
  listKind?: string;
  /** Groupings that the resource belongs to, such as "all". */
  categories?: string[];
}

/** How a custom kind is named, checked and served. */
export interface CustomResourceDefinitionSpec {
  /** The group it is served in. Cannot be changed. */
  group?: string;
  /** What it is called. */
  names?: CustomResourceDefinitionNames;
  /** Namespaced or Cluster: whether the objects lie in namespaces. Cannot be changed once established. */
  scope?: string;
  /** The versions, in any order. Exactly one of them is stored. */
  versions?: CustomResourceDefinitionVersion[];
  /** How objects get from one version to another. Default: None. */
  conversion?: CustomResourceConversion;
  /** Deprecated; must be false in new definitions. Set preserving in the schema instead. */
  preserveUnknownFields?: boolean;
}

/** What the server made of a definition. */
export interface CustomResourceDefinitionStatus {
  /** Observed conditions. */
  conditions?: CustomResourceDefinitionCondition[];
  /** The names that are in use; they differ from those in spec when these are taken. */
  acceptedNames?: CustomResourceDefinitionNames;
  /** Versions that objects may still be stored in. These must stay in spec. */
  storedVersions?: string[];
}

/** One version of a custom kind. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version, such as "v1beta1". */
  name?: string;
  /** Whether the version can be used by clients. */
  served?: boolean;
  /** Whether objects are stored in this version; true in exactly one. */
  storage?: boolean;
  /** Has the server warn whoever uses the version. Default: false. */
  deprecated?: boolean;
  /** The text of the warning, up to 256 characters. Only with deprecated. Unset: one made by the server. */
  deprecationWarning?: string;
  /** What objects must look like. */
  schema?: CustomResourceValidation;
  /** Which subresources there are. Unset: none. */
  subresources?: CustomResourceSubresources;
  /** Columns of the table form beyond the name. Unset: the age. */
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  /** Fields that field selectors can name beside those of the metadata; at most 8. */
  selectableFields?: SelectableField[];
}

/** Where in an object the number of replicas stands. */
export interface CustomResourceSubresourceScale {
  /** Path of the number asked for, under ".spec", such as ".spec.replicas". */
  specReplicasPath?: string;
  /** Path of the number observed, under ".status". A missing value counts as 0. */
  statusReplicasPath?: string;
  /** Path of a text with the selector of the pods, under ".spec" or ".status". Needed for autoscaling by pods. */
  labelSelectorPath?: string;
}

/** Switches the status subresource on: status is then only written there, all else only at the object itself. */
export interface CustomResourceSubresourceStatus {
}

/** The subresources of a custom kind. */
export interface CustomResourceSubresources {
  /** Serves "status" as a subresource. Unset: it is written with the object. */
  status?: CustomResourceSubresourceStatus;
  /** Serves "scale" as a subresource. Unset: it is not there. */
  scale?: CustomResourceSubresourceScale;
}

/** What objects of a version must look like. */
export interface CustomResourceValidation {
  /** The schema; unknown fields are dropped unless it says otherwise. */
  openAPIV3Schema?: JSONSchemaProps;
}

/** A pointer to further documentation. */
export interface ExternalDocumentation {
  /** What is to be found there. */
  description?: string;
  /** Where it is. */
  url?: string;
}

/** A JSON schema, restricted to what structural schemas may use. */
export interface JSONSchemaProps {
  /** Not used. */
  id?: string;
  /** Not used. */
  "$schema"?: string;
  /** Must be unset. */
  "$ref"?: string;
  /** What the value means. */
  description?: string;
  /** "object", "array", "string", "integer", "number" or "boolean". */
  type?: string;
  /** Form of the value, such as "date-time", "ipv4", "byte" or "int32"; formats that are not known are not checked. */
  format?: string;
  /** A short name for the value. */
  title?: string;
  /** The value that an unset field gets. */
  default?: JsonValue;
  /** Highest number that is allowed. */
  maximum?: number;
  /** The number must lie below maximum. Default: it may equal it. */
  exclusiveMaximum?: boolean;
  /** Lowest number that is allowed. */
  minimum?: number;
  /** The number must lie above minimum. Default: it may equal it. */
  exclusiveMinimum?: boolean;
  /** Greatest length of a text, in characters. */
  maxLength?: number | bigint;
  /** Least length of a text, in characters. */
  minLength?: number | bigint;
  /** Regular expression that must match somewhere in the text. */
  pattern?: string;
  /** Greatest number of items. */
  maxItems?: number | bigint;
  /** Least number of items. */
  minItems?: number | bigint;
  /** Must be false; use the list type instead. */
  uniqueItems?: boolean;
  /** The number must be a multiple of this. */
  multipleOf?: number;
  /** The values that are allowed. */
  enum?: JsonValue[];
  /** Greatest number of members. */
  maxProperties?: number | bigint;
  /** Least number of members. */
  minProperties?: number | bigint;
  /** Names of members that must be present. */
  required?: string[];
  /** Schema of the items. */
  items?: JSONSchemaPropsOrArray;
  /** Schemas that must all hold. */
  allOf?: JSONSchemaProps[];
  /** Schemas of which exactly one must hold. */
  oneOf?: JSONSchemaProps[];
  /** Schemas of which at least one must hold. */
  anyOf?: JSONSchemaProps[];
  /** A schema that must not hold. */
  not?: JSONSchemaProps;
  /** Schemas of the members by their names. */
  properties?: Record<string, JSONSchemaProps>;
  /** Schema of members that properties does not name. Excludes properties. */
  additionalProperties?: JSONSchemaPropsOrBool;
  /** Must be unset. */
  patternProperties?: Record<string, JSONSchemaProps>;
  /** Must be unset. */
  dependencies?: Record<string, JSONSchemaPropsOrStringArray>;
  /** Must be unset. */
  additionalItems?: JSONSchemaPropsOrBool;
  /** Must be unset. */
  definitions?: Record<string, JSONSchemaProps>;
  /** Further documentation. */
  externalDocs?: ExternalDocumentation;
  /** An example of a value. */
  example?: JsonValue;
  /** Allows null as a value. Default: false. */
  nullable?: boolean;
  /** True keeps fields that the schema does not name. Unset: they are dropped. */
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** The value is a whole object with apiVersion, kind and metadata, which are checked as such. */
  "x-kubernetes-embedded-resource"?: boolean;
  /** The value is an integer or a text; the type must be unset. */
  "x-kubernetes-int-or-string"?: boolean;
  /** The fields that tell the items apart. Required for lists of type "map". */
  "x-kubernetes-list-map-keys"?: string[];
  /** "atomic" (the default) is merged as a whole, "set" has scalars without repeats, "map" has items told apart by keys. */
  "x-kubernetes-list-type"?: string;
  /** "granular" (the default) is merged member by member, "atomic" as a whole. */
  "x-kubernetes-map-type"?: string;
  /** Expressions that must hold. */
  "x-kubernetes-validations"?: ValidationRule[];
}

/** A schema, or a list of schemas. */
export type JSONSchemaPropsOrArray = JsonValue;

/** A schema, or true for anything and false for nothing. */
export type JSONSchemaPropsOrBool = JsonValue;

/** A schema, or a list of names. */
export type JSONSchemaPropsOrStringArray = JsonValue;

/** A field that field selectors can name. */
export interface SelectableField {
  /** Path to a text, an integer or a truth value outside of the metadata, through members of objects and maps; such as ".spec.color". */
  jsonPath?: string;
}

/** The service that answers a callback. */
export interface ServiceReference {
  /** Namespace of the service. */
  namespace?: string;
  /** Name of the service. */
  name?: string;
  /** Path of the callback. Unset: "/". */
  path?: string;
  /** Port of the service. Default: 443. */
  port?: number;
}

/** An expression that a value must satisfy. */
export interface ValidationRule {
  /** CEL that yields a boolean. "self" is the value; "oldSelf", on updates only, the one before. */
  rule?: string;
  /** What is said when the rule fails, on one line. Unset: a text that names the rule. */
  message?: string;
  /** CEL that yields what is said when the rule fails; wins over message. */
  messageExpression?: string;
  /** What programs are told when the rule fails: FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate. Unset: FieldValueInvalid. */
  reason?: string;
  /** Path from the value to the field that is blamed when the rule fails, such as ".spec.replicas" or ".labels['app']"; through members of objects and maps only. Unset: the value itself. */
  fieldPath?: string;
  /** Has the rule asked on creation as well: "oldSelf" is an optional then, without a value where there was none before. */
  optionalOldSelf?: boolean;
}

/** How a callback is reached. Exactly one of url and service is set. */
export interface WebhookClientConfig {
  /** Address in the form "https://host:port/path"; without user, query and fragment. */
  url?: string;
  /** A service in the cluster. */
  service?: ServiceReference;
  /** Certificates as PEM, in base64, that the callback's own must stem from. Unset: those that the server's system trusts. */
  caBundle?: string;
}

/** How a conversion webhook is called. */
export interface WebhookConversion {
  /** How it is reached. */
  clientConfig?: WebhookClientConfig;
  /** Versions of the review that it understands, the preferred first; the server uses the first that it knows. */
  conversionReviewVersions?: string[];
}
