import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';
import { AUTHORITY, ECDSA_REQUEST, LEAF, REQUEST, RSA_REQUEST } from '../testing/certificates.js';
import { type Changes, triedKind } from '../testing/refusals.js';
import { through } from '../testing/through.js';
import { requestError } from './request-signature.js';

const GROUP = 'certificates.k8s.io';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const request = triedKind(GROUP, 'v1', 'certificatesigningrequests', {
  spec: { request: base64(REQUEST), signerName: 'example.com/s', usages: ['client auth'] },
});
const bundle = triedKind(GROUP, 'v1alpha1', 'clustertrustbundles', { spec: { trustBundle: AUTHORITY } });

describe('conditions of a request', () => {
  const names = namesOf('kubernetes');
  const definition = loadScheme(names).resource(GROUP, 'v1', 'certificatesigningrequests');
  if (!definition) throw new Error('no requests');
  const rules = kindRules(definition, names);
  const [then, now] = ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'];
  const approved = { type: 'Approved', status: 'True', reason: 'R', message: '' };
  const written = (subresource: string, before: object[], after: object[]) => {
    const spec = { request: '', signerName: 'example.com/s' };
    const object = { metadata: { name: 'a' }, spec, status: { conditions: structuredClone(after) } };
    const old = { metadata: { name: 'a' }, spec, status: { conditions: structuredClone(before) } };
    rules.prepareForUpdate(object, old, through(subresource));
    return object.status.conditions;
  };

  it('say when they were written and since when they hold', () => {
    const both = { lastUpdateTime: now, lastTransitionTime: now };
    expect(written('approval', [], [approved])).toEqual([{ ...approved, ...both }]);
    const failed = { type: 'Failed', status: 'True' };
    expect(written('status', [], [failed])).toEqual([{ ...failed, ...both }]);
  });

  it('hold as long as there was one of the type and status', () => {
    const old = { ...approved, lastUpdateTime: then, lastTransitionTime: then };
    expect(written('approval', [old], [{ ...approved, message: 'again' }])).toEqual([
      { ...approved, message: 'again', lastUpdateTime: now, lastTransitionTime: then },
    ]);
    expect(written('approval', [{ ...old, status: 'Unknown' }], [approved])).toMatchObject([
      { lastTransitionTime: now },
    ]);
  });

  it('keep what they say themselves', () => {
    const said = { ...approved, lastUpdateTime: then, lastTransitionTime: then };
    expect(written('approval', [], [said])).toEqual([said]);
    // Through the status decisions stay as they were, times included.
    expect(written('status', [said], [approved])).toEqual([said]);
  });
});

it('looks into a bundle of many certificates in steps', () => {
  const names = namesOf('kubernetes');
  const definition = loadScheme(names).resource(GROUP, 'v1alpha1', 'clustertrustbundles');
  if (!definition) throw new Error('no bundles');
  const object = { metadata: { name: 'a' }, spec: { trustBundle: AUTHORITY.repeat(1000) } };
  const steps = [...kindRules(definition, names).validateCreate(object)];
  expect(steps.length).toBeGreaterThan(1000 / 64);
  expect(steps.flat()).toHaveLength(1);
});

describe('a certificate request in PEM', () => {
  it.each([
    ['Ed25519', REQUEST],
    ['ECDSA', ECDSA_REQUEST],
    ['RSA', RSA_REQUEST],
    ['with text around it', `text\n${REQUEST}more`],
  ])('%s is verified', (_what, pem) => {
    expect(requestError(pem)).toBeUndefined();
  });

  const body = REQUEST.split('\n').slice(1, -2).join('');
  const wrapped = (bytes: Buffer) =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  const bytes = Buffer.from(body, 'base64');

  it.each([
    ['', 'PEM block type must be CERTIFICATE REQUEST'],
    [AUTHORITY, 'PEM block type must be CERTIFICATE REQUEST'],
    [REQUEST.replaceAll('CERTIFICATE', 'NEW CERTIFICATE'), 'PEM block type must be CERTIFICATE REQUEST'],
    [wrapped(bytes.subarray(0, 40)), 'asn1: syntax error: data truncated'],
    [wrapped(Buffer.concat([bytes, Buffer.from([0])])), 'asn1: syntax error: trailing data'],
    [wrapped(Buffer.from([0x30, 0])), 'asn1: syntax error: sequence truncated'],
    [wrapped(Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])), 'asn1: syntax error: data truncated'],
    [wrapped(Buffer.from([0x30, 0x88])), 'asn1: structure error: length too large'],
  ])('%j is refused: %s', (pem, expected) => {
    expect(requestError(pem)).toBe(expected);
  });

  it('is refused when a bit of it differs', () => {
    // The last byte is of the signature, the one in the subject of what was signed.
    for (const at of [bytes.length - 1, bytes.indexOf('user')]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(requestError(wrapped(changed))).toBe('x509: certificate request signature is invalid');
    }
  });

  it('of any bytes is answered', () => {
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = 0xff;
      expect(typeof requestError(wrapped(changed)), `byte ${at}`).toBe('string');
    }
  });

  it('is not taken apart further than need be', () => {
    const many = Buffer.concat([Buffer.from([0x30, 0x84, 0, 0x20, 0, 0]), Buffer.alloc(0x200000, Buffer.from([5, 0]))]);
    expect(requestError(wrapped(many))).toBe("asn1: structure error: tags don't match");
  });

  it('takes time that grows with its size, however it begins', () => {
    const many = '-----BEGIN A-----\n'.repeat(150_000);
    expect(requestError(many)).toBe('PEM block type must be CERTIFICATE REQUEST');
    expect(requestError(`${many}-----END B-----\n`.repeat(2))).toBe('PEM block type must be CERTIFICATE REQUEST');
  });
});

describe('what is asked for', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [{ 'spec.expirationSeconds': 600, 'spec.signerName': 'kubernetes.io/kube-apiserver-client' }, []],
    [
      { 'spec.request': '', 'spec.usages': [], 'spec.signerName': '', 'spec.expirationSeconds': 599 },
      [
        'spec.request: Invalid value: "<bytes>": PEM block type must be CERTIFICATE REQUEST',
        'spec.usages: Required value',
        'spec.signerName: Required value',
        'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
      ],
    ],
    [
      { 'spec.usages': ['any', 'any', 'fun'], 'spec.signerName': 'kubernetes.io/legacy-unknown' },
      [
        expect.stringMatching(
          /^spec\.usages\[2\]: Unsupported value: "fun": supported values: "any", "cert sign"/,
        ) as never,
        'spec.usages[1]: Duplicate value: "any"',
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ],
    [
      { 'spec.signerName': 'a/b/c' },
      [
        'spec.signerName: Invalid value: "a/b/c": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    ],
    [
      { 'spec.signerName': 'Local/A' },
      [
        expect.stringMatching(
          /^spec\.signerName: Invalid value: "Local": validating label "Local": a lowercase/,
        ) as never,
        'spec.signerName: Invalid value: "Local": should be a domain with at least two segments separated by dots',
        expect.stringMatching(/^spec\.signerName: Invalid value: "A": validating label "A": a lowercase/) as never,
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(request.created(changes)).toEqual(expected);
  });
});

describe('what is decided', () => {
  const decided = (...types: string[]) => ({
    status: { conditions: types.map((type) => ({ type, status: 'True', reason: 'r' })) },
  });

  it.each<[string, Changes, Changes, string[]]>([
    ['approval', {}, decided('Approved'), []],
    ['approval', decided('Approved'), decided('Approved', 'Failed'), []],
    [
      'approval',
      {},
      decided('Approved', 'Denied', ''),
      [
        'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
        'status.conditions[2].type: Required value',
      ],
    ],
    [
      'approval',
      decided('Approved'),
      decided('Denied'),
      ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
    ],
    [
      'approval',
      {},
      { status: { conditions: [{ type: 'Denied', status: 'False' }, { type: 'Ready' }] } },
      [
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
        'status.conditions[1].status: Required value',
      ],
    ],
    ['approval', {}, decided('Ready', 'Ready'), ['status.conditions[1].type: Duplicate value: "Ready"']],
    [
      'status',
      {},
      decided('Approved'),
      ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
    ],
    ['status', decided('Approved'), decided('Approved', 'Failed'), []],
    [
      'status',
      decided('Approved', 'Failed'),
      decided('Approved'),
      ['status.conditions: Forbidden: updates may not remove a condition of type "Failed"'],
    ],
  ])('through %s from %j to %j', (subresource, before, after, expected) => {
    expect(request.updated(before, after, subresource)).toEqual(expected);
  });

  const issued = (pem: string): Changes => ({ 'status.certificate': base64(pem) });

  it.each<[string, Changes, Changes, string[]]>([
    ['status', {}, issued(LEAF + AUTHORITY), []],
    // Not through this subresource: left as it was.
    ['approval', {}, issued('nothing'), []],
    [
      'status',
      {},
      issued('nothing'),
      ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
    ],
    [
      'status',
      {},
      issued(REQUEST),
      [
        'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
      ],
    ],
    [
      'status',
      {},
      issued('-----BEGIN CERTIFICATE-----\nA: b\n\nMAA=\n-----END CERTIFICATE-----\n'),
      ['status.certificate: Invalid value: "<certificate data>": no PEM block headers are permitted'],
    ],
    [
      'status',
      {},
      issued('-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n'),
      ['status.certificate: Invalid value: "<certificate data>": x509: malformed certificate'],
    ],
    [
      'status',
      issued(LEAF),
      issued(AUTHORITY),
      ['status.certificate: Forbidden: updates may not modify existing certificate content'],
    ],
  ])('is issued through %s', (subresource, before, after, expected) => {
    expect(request.updated(before, after, subresource)).toEqual(expected);
  });
});

describe('a bundle of authorities', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [{ 'metadata.name': 'example.com:s:a', 'spec.signerName': 'example.com/s' }, []],
    [
      { 'spec.signerName': 'example.com/s' },
      [
        'metadata.name: Invalid value: "a": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
      ],
    ],
    [
      { 'metadata.name': 'a:b' },
      ['metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name'],
    ],
    [
      { 'spec.trustBundle': '' },
      ['spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided'],
    ],
    [
      { 'spec.trustBundle': AUTHORITY + AUTHORITY },
      ['spec.trustBundle: Invalid value: "<value omitted>": duplicate trust anchor (indices [0 1])'],
    ],
    [
      { 'spec.trustBundle': `${REQUEST}${LEAF}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n` },
      [
        'spec.trustBundle: Invalid value: "<value omitted>": entry 0 has bad block type: CERTIFICATE REQUEST',
        'spec.trustBundle: Invalid value: "<value omitted>": entry 1 does not have the CA bit set',
        'spec.trustBundle: Invalid value: "<value omitted>": entry 2 does not parse as X.509',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(bundle.created(changes)).toEqual(expected);
  });

  it('keeps its signer', () => {
    expect(bundle.updated({}, { 'spec.signerName': 'example.com/s' })).toEqual([
      'spec.signerName: Invalid value: "example.com/s": field is immutable',
    ]);
  });
});
