import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { askForBody } from './expected-continue.js';

it.each([
  [1, false],
  [0, true],
])('a body is asked for %i times where an answer has begun: %s', (times, headersSent) => {
  const writeContinue = vi.fn();
  const req = { httpVersion: '1.1', headers: { expect: '100-continue' } } as unknown as IncomingMessage;
  askForBody({ req, res: { headersSent, writeContinue } as unknown as ServerResponse });
  expect(writeContinue).toHaveBeenCalledTimes(times);
});
