import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Upgrade } from './context.js';

/** Handles a request of any version of HTTP; `upgrade` if its client asks to switch to a WebSocket. */
export type ApiListener = (req: IncomingMessage, res: ServerResponse, upgrade?: Upgrade) => void;
