import { tryRows } from './rows.js';

// Gateways that end, and clients that come back all at once.
tryRows(['gateway-kills', 'gateway-vanishes', 'gateway-vanishes-unnoticed', 'herd']);
