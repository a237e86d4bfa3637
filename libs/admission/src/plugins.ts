import type { AdmissionPlugin } from './plugin.js';

/** Every plugin, in the order in which they are asked, each a file of its own beside this one. */
export const PLUGINS: readonly AdmissionPlugin[] = [];
