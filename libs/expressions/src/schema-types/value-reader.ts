import type { Value } from '../values/value.js';
import type { Raw } from './native.js';

/** Makes a value from JSON; one that does not fit the schema is a failure. */
export type ValueReader = (raw: Raw) => Value;
