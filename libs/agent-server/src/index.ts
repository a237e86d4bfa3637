export { AgentServer } from './agent-server.js';
export type {
  AgentServerOptions,
  AgentServerSettings,
  ProbeCount,
  ServedAgent,
  ServingPair,
  VolumeUsage,
} from './agent-server-settings.js';
