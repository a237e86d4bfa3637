import { expect, it } from 'vitest';
import { redactedTarget } from './redacted-target.js';

it.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/pods?watch=1&limit=5', '/api/v1/pods?watch=1&limit=5'],
  ['/token?labelSelector=token%3Da', '/token?labelSelector=token%3Da'],
  ['/version?access_token=abc', '/version?access_token=REDACTED'],
  ['/version?a=%zz&TOKEN=a=b&x', '/version?a=%zz&TOKEN=REDACTED&x'],
  ['/version?%61ccess%5Ftoken=abc&id_token=&b=1', '/version?%61ccess%5Ftoken=REDACTED&id_token=REDACTED&b=1'],
  ['/version?token', '/version?token'],
  ['/version?a=?token=b&token=c', '/version?a=?token=b&token=REDACTED'],
])('%s is recorded as %s', (target, recorded) => {
  expect(redactedTarget(target)).toBe(recorded);
});
