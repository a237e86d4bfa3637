export { NodeAgent } from './agent/node-agent.js';
export { readAgentOptions } from './options/read-configuration.js';
