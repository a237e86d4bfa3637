import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { askForBody } from './expected-continue.js';

const req = { httpVersion: '1.1', headers: { expect: '100-continue' } } as unknown as IncomingMessage;

/** An answer, which has its turn on the connection if `socket` is there. */
function answer(headersSent: boolean, socket?: object) {
  const writeContinue = vi.fn();
  const res = Object.assign(new EventEmitter(), { headersSent, socket, writeContinue });
  return { res, writeContinue, ask: () => askForBody({ req, res: res as unknown as ServerResponse }) };
}

it.each([
  [1, false],
  [0, true],
])('a body is asked for %i times where an answer has begun: %s', (times, headersSent) => {
  const { ask, writeContinue } = answer(headersSent, {});
  ask();
  expect(writeContinue).toHaveBeenCalledTimes(times);
});

it.each([
  [1, false],
  [0, true],
])('behind other answers it is asked for later, %i times where an answer has begun then: %s', (times, headersSent) => {
  const { res, ask, writeContinue } = answer(false);
  ask();
  expect(writeContinue).not.toHaveBeenCalled();
  res.headersSent = headersSent;
  res.emit('socket');
  expect(writeContinue).toHaveBeenCalledTimes(times);
});
