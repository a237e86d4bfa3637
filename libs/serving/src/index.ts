export { Auditor } from './auditing/auditor.js';
export type { Answerer, Answering } from './chain/answerer.js';
export { bodyUseOf } from './chain/body-use.js';
export { connectsTo, requestInfoOf } from './chain/connecting.js';
export type { FlowControl } from './chain/flow-settings.js';
export { limitOptions, slowClientLimits } from './chain/limit-options.js';
export { createListener } from './chain/listener.js';
export { newContext, type OpenContext } from './chain/new-context.js';
export { bareRequest, isLongRunning, type RequestInfo, requestInfo } from './chain/request-info.js';
export { ResourceRouter } from './chain/router.js';
export { SlowClients } from './chain/slow-clients.js';
export { kindOf, type RequestKind, type RequestSeat, type Turns } from './chain/turns.js';
export type { AuditRecord } from './http/audit-record.js';
export {
  cutOff,
  endOf,
  forgetHeaders,
  hostOf,
  http2StreamOf,
  isGone,
  isOver,
  leaveBody,
  left,
  type RequestContext,
  socketOf,
  splitTarget,
  type Upgrade,
} from './http/context.js';
export { askForBody } from './http/expected-continue.js';
export { createApplication } from './http/express-application.js';
export { overBothVersions } from './http/express-http2.js';
export { endBehind, pump, switchProtocols } from './http/joined-connections.js';
export { OF_THE_CALL, passedOn } from './http/passed-on.js';
export { prettyList, wantsPretty } from './http/pretty.js';
export { type BodyLimits, readBefore, readBody } from './http/read-body.js';
export { REQUEST_ID_HEADER } from './http/request-id.js';
export { acceptsGzip, GZIP_MIN_BYTES, sendPieces, sendStatus } from './http/respond.js';
export { isVerb, type ResourceCall, type Verb } from './http/route.js';
export { sendApiObject } from './http/send-api-object.js';
export { sendObject } from './http/send-object.js';
export type { Verbs } from './http/verbs.js';
export { authenticationAttempts, tokenCache } from './metrics/authentication-metrics.js';
export { observeSlowClients, observeWatchOutputs } from './metrics/client-metrics.js';
export { clientRequests, outgoingCuts, vanishedClients } from './metrics/connection-metrics.js';
export { DeliveryObserver } from './metrics/delivery-observer.js';
export { requestDurations } from './metrics/request-durations.js';
export { RequestMetrics } from './metrics/request-metrics.js';
export { RequestTrail } from './metrics/request-trail.js';
export { servingMetrics } from './metrics/serving-metrics.js';
export { watchedKinds } from './metrics/watched-kinds.js';
export { endWithCredential } from './proxying/credential-end.js';
export { checkGatewayClient } from './proxying/gateway-client.js';
export type { WatchLimits } from './proxying/handed-lifetime.js';
export { type HandedStream, HandedStreams } from './proxying/handed-streams.js';
export { joinWebSockets, passOn, passOnAs, passWatchOn, type ServerAnswer } from './proxying/pass-on.js';
export { WatchProxy } from './proxying/watch-proxy.js';
export { requestOptions } from './request-options.js';
export type { ConnectionLimits } from './sockets/connection-limits.js';
export { connectionLimits, connectionOptions } from './sockets/connection-options.js';
export { type Listeners, openListeners } from './sockets/listeners.js';
export { OutgoingConnections } from './sockets/outgoing-connections.js';
export { meetExpectations } from './sockets/request-heads.js';
export { type NamedShownPair, type Pair, pairFor } from './sockets/shown-pairs.js';
export { VanishedPeers } from './sockets/vanished-peers.js';
export { wantsWebSocket } from './sockets/web-socket-request.js';
export { AdmittedWatch, type OpenWatch, OpenWatches, type WatchCheck } from './watching/open-watches.js';
export { refusalFrames } from './watching/refusal-frame.js';
export { SlowReaders } from './watching/slow-readers.js';
export { WatchOutputs } from './watching/watch-output.js';
export { watchTransports } from './watching/watch-transport.js';
