import { expect, test } from 'vitest';
import { tokenFile } from './identities.js';

test('a line of the file of tokens has the user and the groups of an identity', () => {
  expect(tokenFile({ admin: 'secret', scheduler: 'other', 'node-1': 'third' })).toBe(
    'secret,admin,admin,"system:masters"\nother,system:kube-scheduler,system:kube-scheduler,""\n' +
      'third,system:node:node-1,system:node:node-1,"system:nodes"\n',
  );
});
