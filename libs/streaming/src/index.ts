export { checkWebSocketKey, offeredProtocols } from './messages/handshake.js';
export { messageBounds } from './messages/message-bounds.js';
export { MessageConnection, type MessageReceiver, type MessageRequest } from './messages/message-connection.js';
export type { SessionTimes } from './serving/command-channels.js';
export { serveCommand, servePorts } from './serving/serve.js';
export { isWebSocketRequest, refuseUpgrade, type UpgradeRequest } from './serving/upgrade-request.js';
export { type CommandReceiver, CommandStreams, type StreamName } from './spdy/command-streams.js';
export { SPDY } from './spdy/frames.js';
