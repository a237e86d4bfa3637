export { agentDefinitions } from './options/agent-options.js';
