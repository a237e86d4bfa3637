import type { JsonValue } from '@orch/machinery';

/** A step of a path; each takes the values that the one before it found. */
export type PathNode =
  /** `fraction` of a number that is written with a point, and compares with no integer. */
  | { readonly kind: 'literal'; readonly value: JsonValue; readonly fraction?: boolean }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | SliceNode
  | { readonly kind: 'union'; readonly paths: readonly JsonPath[] }
  | { readonly kind: 'exists'; readonly path: JsonPath }
  | { readonly kind: 'compare'; readonly left: JsonPath; readonly operator: string; readonly right: JsonPath }
  /** `range`, `end` and other words: nothing is found with them in a path that is to find one value. */
  | { readonly kind: 'word'; readonly name: string };

/** A range of items of a list; unset bounds are undefined. */
export interface SliceNode {
  /** Kind of the step. */
  readonly kind: 'slice';
  /** First index, inclusive; negative from the end. */
  readonly from: number | undefined;
  /** End index, exclusive; negative from the end. */
  readonly to: number | undefined;
  /** Distance of the items. Default 1. */
  readonly step: number | undefined;
  /** Whether only the item at `from` is meant. */
  readonly one: boolean;
}

/** Steps in their order. */
export type JsonPath = readonly PathNode[];

/** Thrown for texts that are not paths. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}
