export { agentComponent } from './agent-component.js';
export { nodeAgentOptions, nodeNameFor } from './options.js';
