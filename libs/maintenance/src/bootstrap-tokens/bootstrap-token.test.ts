import type { Secret } from '@orch/schema/types/core/v1';
import { expect, test } from 'vitest';
import { bootstrapTokenOf } from './bootstrap-token.js';

const encode = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

const tokenOf = (more: Readonly<Record<string, string>> = {}, name = 'bootstrap-token-abc123') => {
  const data = { 'token-id': 'abc123', 'token-secret': 's', 'usage-bootstrap-signing': 'true', ...more };
  return bootstrapTokenOf({ metadata: { name }, data: encode(data) } as Secret, 'uid');
};

test('a token that signs and never ends', () => {
  expect(tokenOf()).toEqual({
    ...{ name: 'bootstrap-token-abc123', uid: 'uid', expiresAt: Number.POSITIVE_INFINITY },
    signing: { id: 'abc123', secret: 's' },
  });
});

test('it ends when it says', () => {
  expect(tokenOf({ expiration: '2027-01-01T00:00:00+01:00' }).expiresAt).toBe(Date.parse('2026-12-31T23:00:00Z'));
});

test('an end that cannot be read is past', () => {
  expect(tokenOf({ expiration: 'tomorrow' }).expiresAt).toBe(0);
});

test.each([
  ['not for signing', { 'usage-bootstrap-signing': 'yes' }, undefined],
  ['without a secret', { 'token-secret': '' }, undefined],
  ['of another name than its id', {}, 'bootstrap-token-abc124'],
  ['with an id of another form', { 'token-id': 'ABC123' }, 'bootstrap-token-ABC123'],
])('a token %s does not sign', (_, data, name) => {
  expect(tokenOf(data, name).signing).toBeUndefined();
});

test('a Secret without data', () => {
  expect(bootstrapTokenOf({ metadata: { name: 'n' } } as Secret, 'uid').signing).toBeUndefined();
});
