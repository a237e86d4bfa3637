export { ManualClock } from './manual-clock.js';
export { ManualInformer } from './manual-informer.js';
