export { findAll, RowEffort } from './evaluate.js';
export { type JsonPath, JsonPathError } from './node.js';
export { PathReading, parseJsonPath } from './parse.js';
export { shownText } from './text.js';
