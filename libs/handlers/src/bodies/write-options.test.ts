import { namesOf, StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { applyOptions, writeOptions } from './write-options.js';

const read = (query: string) => writeOptions(new URLSearchParams(query), 'CreateOptions', namesOf('orch'));

describe('writeOptions', () => {
  it.each([
    ['', { dryRun: false, fieldValidation: 'Warn', fieldManager: '' }],
    ['dryRun', { dryRun: true, fieldValidation: 'Warn', fieldManager: '' }],
    ['dryRun=', { dryRun: true, fieldValidation: 'Warn', fieldManager: '' }],
    ['dryRun=All&dryRun=All', { dryRun: true, fieldValidation: 'Warn', fieldManager: '' }],
    ['fieldValidation=Strict&fieldManager=me', { dryRun: false, fieldValidation: 'Strict', fieldManager: 'me' }],
    [`fieldManager=${'m'.repeat(128)}`, { dryRun: false, fieldValidation: 'Warn', fieldManager: 'm'.repeat(128) }],
  ])('%.40s', (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it.each([
    ['dryRun=None', 'dryRun'],
    ['dryRun=All&dryRun=x', 'dryRun'],
    ['fieldValidation=strict', 'fieldValidation'],
    [`fieldManager=${'m'.repeat(129)}`, 'fieldManager'],
    ['fieldManager=a%00b', 'fieldManager'],
    ['fieldManager=a%0Ab', 'fieldManager'],
  ])('refuses %.30s', (query, field) => {
    let status: unknown;
    try {
      read(query);
    } catch (error) {
      status = error instanceof StatusError && error.status;
    }
    expect(status).toMatchObject({ code: 422, details: { kind: 'CreateOptions', causes: [{ field }] } });
  });
});

it.each([
  ['fieldManager=%C3%A9%01b', 'Invalid value: "é\\x01b": invalid character U+0001 (at position 2)'],
  ['fieldManager=a%C2%A0b', 'Invalid value: "a\u00a0b": invalid character U+00A0 (at position 1)'],
  ['fieldValidation=x', 'Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"'],
])('says what is wrong with %s', (query, message) => {
  expect(() => read(query)).toThrow(message);
});

describe('applyOptions', () => {
  const apply = (query: string) => applyOptions(new URLSearchParams(query), namesOf('orch'));

  it.each([
    ['', false],
    ['&force', true],
    ['&force=true', true],
    ['&force=False', false],
    ['&force=0', false],
  ])('of fieldManager=me%s', (query, force) => {
    expect(apply(`fieldManager=me${query}`)).toEqual({
      dryRun: false,
      fieldValidation: 'Warn',
      fieldManager: 'me',
      force,
    });
  });

  it('need a manager, which other patches do not; those have nothing to force', () => {
    const why = (query: () => unknown) => {
      try {
        query();
      } catch (error) {
        return error instanceof StatusError ? error.status : error;
      }
      return undefined;
    };
    expect(why(() => apply('force=true'))).toMatchObject({
      code: 422,
      message: expect.stringContaining('fieldManager: Required value: is required for apply patch'),
    });
    expect(why(() => writeOptions(new URLSearchParams('force=true'), 'PatchOptions', namesOf('orch')))).toMatchObject({
      details: { causes: [{ field: 'force', message: 'Forbidden: may not be specified for non-apply patch' }] },
    });
  });
});
