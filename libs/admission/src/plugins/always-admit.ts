import type { PluginMaker } from '../plugin.js';

/** Refuses nothing: for who has it on the command line. */
export const alwaysAdmit: PluginMaker = () => ({ name: 'AlwaysAdmit', handles: () => false });
