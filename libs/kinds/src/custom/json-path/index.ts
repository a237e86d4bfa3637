export { findAll } from './evaluate.js';
export { JsonPathError, type Path } from './node.js';
export { parseJsonPath } from './parse.js';
export { shownText } from './text.js';
