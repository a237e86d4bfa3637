/** Differences between the two versions of OpenAPI in a schema. */
export interface Dialect {
  readonly refPrefix: '#/definitions/' | '#/components/schemas/';
  /** Whether members may accompany a `$ref`, as in version 2; in version 3 the reference goes into an `allOf`. */
  readonly siblingsOfRef: boolean;
  /** Values of several types are a `oneOf` in version 3; version 2 has only the format. */
  readonly oneOf: boolean;
}
