export { findAll, RowEffort } from './evaluate.js';
export { JsonPathError, type Path } from './node.js';
export { PathReading, parseJsonPath } from './parse.js';
export { shownText } from './text.js';
