import { expect, it } from 'vitest';
import { Nonces } from './nonces.js';

it('nonces have their length, and none comes twice, also where new ones are drawn', () => {
  for (const length of [16, 24]) {
    const nonces = new Nonces(length);
    const seen = new Set<string>();
    for (let count = 0; count < 1_000; count++) {
      const nonce = nonces.next();
      expect(nonce).toHaveLength(length);
      seen.add(nonce.toString('hex'));
    }
    expect(seen).toHaveProperty('size', 1_000);
  }
});

it('two draw nothing alike', () => {
  expect(new Nonces(16).next()).not.toEqual(new Nonces(16).next());
});
