import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Upgrade } from './context.js';

/** Takes a request of any version of HTTP; `upgrade` when its client wants to go on as a WebSocket. */
export type ApiListener = (req: IncomingMessage, res: ServerResponse, upgrade?: Upgrade) => void;
