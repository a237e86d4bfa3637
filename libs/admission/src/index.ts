export { Admission, admit, type Judges, validate } from './admission.js';
export type { Attributes, Operation, RequestOptions, Target } from './attributes.js';
export type { FollowedObjects, KnownObjects, KnownResource } from './known-objects.js';
export type { AdmissionPlugin, PluginContext, PluginMaker } from './plugin.js';
export { PLUGINS } from './plugins.js';
export { refusal } from './refusal.js';
