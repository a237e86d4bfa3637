import { registrationOf } from '@orch/testing';
import { describe, expect, it } from 'vitest';
import { type LocalRegistration, syncing } from './local-registrations.js';
import type { Registration } from './registration.js';

const NAME = 'v1.example.com';
const wanted = (managed: LocalRegistration['managed'], versionPriority = 10): LocalRegistration => ({
  ...{ name: NAME, group: 'example.com', version: 'v1', groupPriority: 100, versionPriority, managed },
});
const known = (managed: string | undefined): Registration => ({ ...registrationOf({ managed }), service: undefined });

type Row = [what: string, wanted: LocalRegistration | undefined, known: Registration | undefined, then: string];
const actOf = (row: Row, state: { present?: boolean; synced?: boolean }) =>
  syncing(row[1], row[2], NAME, {
    present: new Set(state.present ? [NAME] : []),
    synced: new Set(state.synced ? [NAME] : []),
  })?.act ?? 'nothing';

describe('a registration of what is served here', () => {
  const always: Row[] = [
    ['is none where none is wanted', undefined, undefined, 'nothing'],
    ['is made where it is wanted always', wanted('true'), undefined, 'create'],
    ['is let be where it is as it is to be', wanted('true'), known('true'), 'nothing'],
    ['is changed where it is not', wanted('true', 20), known('true'), 'update'],
    ['is taken away where nothing is served any more', undefined, known('true'), 'delete'],
    ["is let be where it is somebody else's", wanted('true', 20), known(undefined), 'nothing'],
    ["is let be where it is somebody else's and not wanted", undefined, known('other'), 'nothing'],
  ];
  it.each(always)('%s', (...row) => {
    for (const synced of [false, true]) expect(actOf(row, { present: true, synced })).toBe(row[3]);
  });

  const atStart: Row[] = [
    ['is made once', wanted('onstart'), undefined, 'create'],
    ['is changed once where it was there', wanted('onstart', 20), known('onstart'), 'update'],
    ['is taken away once where it was there', undefined, known('onstart'), 'delete'],
    ['is changed once whoever manages it always', wanted('onstart', 20), known('true'), 'update'],
  ];
  it.each(atStart)('at the start %s', (...row) => {
    expect(actOf(row, { present: true })).toBe(row[3]);
    expect(actOf(row, { present: true, synced: true })).toBe('nothing');
  });

  it('that came after the start is let be', () => {
    expect(actOf(['', wanted('onstart', 20), known('onstart'), ''], { present: false })).toBe('nothing');
    expect(actOf(['', undefined, known('onstart'), ''], { present: false })).toBe('nothing');
  });

  it('takes the place of one that names a service', () => {
    expect(actOf(['', wanted('true'), registrationOf({ managed: 'true' }), ''], { present: true })).toBe('update');
  });
});
