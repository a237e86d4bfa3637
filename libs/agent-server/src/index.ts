export { AgentServer } from './agent-server.js';
