import { tryRows } from './rows.js';

// Budgets, and what must notice where quotas and budgets are not exact.
tryRows(['budget-race', 'quota-apart', 'quota-unlocked', 'quota-kept', 'budget-apart', 'budget-unlocked']);
