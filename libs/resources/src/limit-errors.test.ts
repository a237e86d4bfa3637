import { badRequest, StatusError, tooManyRequests } from '@orch/machinery';
import { BusyStoreError, StoreUnavailableError } from '@orch/storage';
import { expect, it } from 'vitest';
import { dueTo, limitBehind } from './limit-errors.js';
import { tooLarge } from './status-errors.js';

const tooSlow = new StatusError('BadRequest', 'late');
tooSlow.status.code = 408;

it.each([
  ['size', tooLarge(3)],
  ['body-time', tooSlow],
  ['write-queue', new BusyStoreError()],
  ['lists', dueTo('lists', tooManyRequests('lists', 1))],
  [undefined, tooManyRequests('counted where it was thrown', 1)],
  [undefined, badRequest('no limit')],
  [undefined, new StoreUnavailableError('gone', false)],
  [undefined, 'text'],
])('%s', (limit, error) => expect(limitBehind(error)).toBe(limit));
