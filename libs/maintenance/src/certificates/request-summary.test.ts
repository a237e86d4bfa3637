import { X509Certificate } from 'node:crypto';
import { formatTime } from '@orch/machinery';
import type { CertificateSigningRequestCondition } from '@orch/schema/types/certificates/v1';
import { AUTHORITY } from '@orch/testing';
import { describe, expect, it } from 'vitest';
import { summaryOf } from './request-summary.js';

const HOUR = 3_600_000;
const CREATED = Date.parse('2030-01-01T00:00:00Z');
const DECIDED = Date.parse('2030-01-01T01:00:00Z');
const CERTIFICATE = Buffer.from(AUTHORITY).toString('base64');
const END = Date.parse(new X509Certificate(AUTHORITY).validTo);

const condition = (type: string, changed: CertificateSigningRequestCondition = {}) => ({
  type,
  status: 'True',
  lastUpdateTime: formatTime(DECIDED),
  ...changed,
});

function summary(conditions: CertificateSigningRequestCondition[], certificate = '') {
  const metadata = { name: 'a', creationTimestamp: formatTime(CREATED) };
  const spec = { signerName: 'example.com/s', expirationSeconds: 600 };
  return summaryOf({ metadata, spec, status: { conditions, certificate } }, 'u', 7n);
}

describe('the summary of a request', () => {
  it('says which one it is, and what it asks for', () => {
    expect(summary([])).toEqual({
      name: 'a',
      uid: 'u',
      resourceVersion: '7',
      signerName: 'example.com/s',
      state: 'pending',
      removeAt: CREATED + 24 * HOUR,
      seconds: 600,
      lifetime: undefined,
    });
  });

  it.each<[string, CertificateSigningRequestCondition[], string, number]>([
    ['pending', [], '', CREATED + 24 * HOUR],
    ['pending', [condition('Other')], '', Number.POSITIVE_INFINITY],
    ['approved', [condition('Approved')], '', Number.POSITIVE_INFINITY],
    ['denied', [condition('Denied')], '', DECIDED + HOUR],
    ['denied', [condition('Approved'), condition('Denied')], '', DECIDED + HOUR],
    ['denied', [condition('Denied', { lastUpdateTime: undefined as never })], '', Number.POSITIVE_INFINITY],
    ['failed', [condition('Approved'), condition('Failed')], '', DECIDED + HOUR],
    ['failed', [condition('Approved'), condition('Failed', { status: '' })], '', DECIDED + HOUR],
    ['approved', [condition('Approved'), condition('Failed', { status: 'False' })], '', DECIDED + HOUR],
    ['issued', [condition('Approved')], CERTIFICATE, DECIDED + HOUR],
    ['issued', [condition('Approved', { lastUpdateTime: undefined as never })], CERTIFICATE, END],
    ['issued', [condition('Approved', { lastUpdateTime: undefined as never })], 'YQ==', Number.POSITIVE_INFINITY],
    ['issued', [condition('Approved', { lastUpdateTime: formatTime(END) })], CERTIFICATE, END],
    ['issued', [], CERTIFICATE, CREATED + 24 * HOUR],
  ])('%s: %j', (state, conditions, certificate, removeAt) => {
    expect(summary(conditions, certificate)).toMatchObject({ state, removeAt });
  });

  it('knows how long a certificate is good for', () => {
    const { validFrom, validTo } = new X509Certificate(AUTHORITY);
    expect(summary([], CERTIFICATE).lifetime).toBe(Date.parse(validTo) - Date.parse(validFrom));
    expect(summary([], 'YQ==').lifetime).toBeUndefined();
  });
});
