export type { AgentClients, NodeAgentSettings } from './agent/agent-settings.js';
export { NodeAgent } from './agent/node-agent.js';
export { agentDefinitions } from './options/agent-options.js';
export { readAgentOptions } from './options/read-configuration.js';
export { systemMounter } from './volumes/mounter.js';
