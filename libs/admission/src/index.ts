export { Admission, admit, type Judges, type Step, type StepObserver, timed, validate } from './admission.js';
export type { Attributes, Operation, RequestOptions, Target } from './attributes.js';
export { type PluginConfiguration, readAdmissionConfiguration } from './configuration.js';
export type { FollowedObjects, KnownObjects, KnownResource } from './known-objects.js';
export type { AdmissionPlugin, PluginContext, PluginMaker } from './plugin.js';
export { type BuiltPlugin, PLUGINS, type PluginEntry } from './plugins.js';
export { refusal } from './refusal.js';
export { Reinvocation } from './reinvocation.js';
export { type PluginSelection, selectionProblems, selectPlugins } from './selection.js';
