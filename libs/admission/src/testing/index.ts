export { attributesOf, pluginOf, refusalOf } from './asking.js';
export { TestObjects } from './known-objects.js';
