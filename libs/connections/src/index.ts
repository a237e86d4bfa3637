export { agentOptions } from './agent-options.js';
export { type AnswerHead, exchange, joinConnections, requireClient } from './exchange.js';
export { logMetrics } from './log-metrics.js';
export { NodeConnections } from './node-connections.js';
export { forwardedFor, forwardedOf, hasUnmeasuredBody } from './request-headers.js';
