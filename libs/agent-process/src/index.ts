export { agentComponent } from './agent-component.js';
export { nodeAgentOptions, nodeNameFor } from './options.js';
export type { Parts } from './parts.js';
