export { attributesOf, pluginContext, pluginOf, refusalOf, targetOf } from './asking.js';
export { TestObjects } from './known-objects.js';
