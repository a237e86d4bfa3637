import { tryRows } from './rows.js';

// Kinds whose definitions change under traffic.
tryRows(['definitions', 'definitions-unawaited']);
