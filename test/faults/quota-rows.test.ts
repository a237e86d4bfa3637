import { tryRows } from './rows.js';

// What must notice where quotas and budgets are not exact.
tryRows(['quota-apart', 'quota-unlocked', 'quota-kept', 'budget-apart', 'budget-unlocked']);
