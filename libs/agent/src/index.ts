export { NodeAgent } from './agent/node-agent.js';
export { nodeNameOf } from './node/node-addresses.js';
export { agentOptions, type NodeAgentOptions } from './options/agent-options.js';
export { readAgentOptions } from './options/read-configuration.js';
export { writtenConfiguration as writtenAgentConfiguration } from './options/written-configuration.js';
