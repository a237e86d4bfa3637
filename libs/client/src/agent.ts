// The entry of undici also loads its fetch, WebSocket, mocks and caches: 500 KB that nothing here uses.
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

// The entry of undici adds this method, with others, in the same way.
Object.assign(Dispatcher.prototype, { request });

export { Agent };
