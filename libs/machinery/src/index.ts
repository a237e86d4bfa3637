export * from './field-error.js';
export * from './group-version.js';
export * from './names.js';
export * from './object.js';
export * from './status.js';
