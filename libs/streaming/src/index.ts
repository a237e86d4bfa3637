export { checkWebSocketKey, offeredProtocols } from './messages/handshake.js';
export { messageBounds } from './messages/message-bounds.js';
export { MessageConnection, type MessageReceiver, type MessageRequest } from './messages/message-connection.js';
export type { SessionTimes } from './serving/command-channels.js';
export type { ForwardedPod } from './serving/forward-port.js';
export { serveCommand, servePorts } from './serving/serve.js';
export { isSpdyRequest, isWebSocketRequest, refuseUpgrade, type UpgradeRequest } from './serving/upgrade-request.js';
export { type CommandReceiver, CommandStreams, type StreamName } from './spdy/command-streams.js';
export { SPDY } from './spdy/frames.js';
