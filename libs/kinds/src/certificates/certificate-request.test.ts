import { generateKeyPairSync, sign } from 'node:crypto';
import { makeCertificateRequest } from '@orch/authentication/testing';
import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { readCertificateRequest, writtenNames } from './certificate-request.js';
import { BIT_STRING, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING } from './der.js';
import { derElement, derSequence, PRINTABLE_STRING, SET, UTF8_STRING } from './der-writer.js';
import { parseName } from './distinguished-name.js';
import { requestError } from './request-signature.js';
import { SIGNERS, type SignerId, signerOf } from './signers.js';

const COMMON_NAME = Buffer.from([0x55, 4, 3]);
const ORGANIZATION = Buffer.from([0x55, 4, 10]);
const BMP_STRING = 0x1e;
const UNIVERSAL_STRING = 0x1c;
const T61_STRING = 0x14;

const attribute = (type: Buffer, tag: number, value: string | Buffer) =>
  derSequence(derElement(OBJECT_IDENTIFIER, type), derElement(tag, Buffer.from(value)));
const relative = (...parts: Parameters<typeof attribute>) => derElement(SET, attribute(...parts));
const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16();

/** The value of the extension of further names, and the attribute of a request that asks for it. */
const askingFor = (value: Buffer) => asking(derSequence(identifier('551d11'), derElement(OCTET_STRING, value)));
const identifier = (hex: string) => derElement(OBJECT_IDENTIFIER, Buffer.from(hex, 'hex'));
const asking = (...extensions: Buffer[]) =>
  derSequence(identifier('2a864886f70d01090e'), derElement(SET, derSequence(...extensions)));

const NO_NAMES = derSequence(identifier('551d11'), derElement(OCTET_STRING, derSequence()));

/** A request of bytes that no tool makes, signed with a key of its own. */
function requestOf(name: Buffer, ...attributes: Buffer[]): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const asked = derSequence(derElement(INTEGER, Buffer.from([0])), name, key, derElement(0xa0, ...attributes));
  const signature = derElement(BIT_STRING, Buffer.from([0]), sign(null, asked, privateKey));
  const bytes = derSequence(asked, derSequence(identifier('2b6570')), signature);
  return `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

describe('what a request says', () => {
  it.each(['rsa', 'ec', 'ed25519'] as const)('is read, with a key of %s', async (keys) => {
    const subject = { commonName: 'jane', organizations: ['dev', 'ops ä'] };
    const names = [
      { type: 'dns', value: 'a.example' },
      { type: 'ip', value: '10.0.0.1' },
      { type: 'ip', value: 'fd00::1' },
      { type: 'email', value: 'jane@a.example' },
      { type: 'url', value: 'https://a.example/x' },
    ] as const;
    const { request } = await makeCertificateRequest(subject, { keys, names });
    expect(requestError(request)).toBeUndefined();
    expect(readCertificateRequest(request)).toMatchObject({
      commonName: 'jane',
      organizations: ['dev', 'ops ä'],
      dnsNames: ['a.example'],
      emailAddresses: ['jane@a.example'],
      uris: ['https://a.example/x'],
      ipAddresses: [Buffer.from([10, 0, 0, 1]), Buffer.from('fd000000000000000000000000000001', 'hex')],
    });
  });

  it('is nothing where it asks for no names', () => {
    const read = readCertificateRequest(requestOf(derSequence()));
    expect(read).toMatchObject({ commonName: '', organizations: [], dnsNames: [], ipAddresses: [] });
    expect(writtenNames(read)).toEqual({ subject: Buffer.from([0x30, 0]), alternativeNames: undefined });
  });

  it('is found in every kind of text, and written so that nobody reads another', () => {
    const masters = 'system:masters';
    for (const [tag, value] of [
      [UTF8_STRING, masters],
      [PRINTABLE_STRING, masters],
      [T61_STRING, masters],
      [BMP_STRING, utf16(masters)],
    ] as const) {
      const read = readCertificateRequest(requestOf(derSequence(relative(ORGANIZATION, tag, value))));
      expect(read.organizations).toEqual([masters]);
      expect(writtenNames(read).subject.equals(derSequence(relative(ORGANIZATION, PRINTABLE_STRING, masters)))).toBe(
        true,
      );
    }
  });

  it('has the last common name, and no other once it is written', () => {
    const both = derSequence(
      relative(COMMON_NAME, UTF8_STRING, 'system:node:a'),
      relative(ORGANIZATION, UTF8_STRING, 'o'),
      derElement(SET, attribute(COMMON_NAME, UTF8_STRING, 'jane'), attribute(ORGANIZATION, UTF8_STRING, 'p')),
    );
    const read = readCertificateRequest(requestOf(both));
    expect([read.commonName, read.organizations]).toEqual(['jane', ['o', 'p']]);
    const written = parseName(writtenNames(read).subject);
    expect(written.flat().map(({ text }) => text)).toEqual(['o', 'p', 'jane']);
  });

  it.each<[string, Buffer, Buffer[]]>([
    ['x509: a name has an attribute that is no text', derSequence(relative(ORGANIZATION, UNIVERSAL_STRING, 'a')), []],
    ['x509: a name has an attribute that is no text', derSequence(relative(ORGANIZATION, INTEGER, 'a')), []],
    [
      'asn1: syntax error: invalid UTF-8 string',
      derSequence(relative(ORGANIZATION, UTF8_STRING, Buffer.from([0xff]))),
      [],
    ],
    ["asn1: structure error: tags don't match", derSequence(attribute(ORGANIZATION, UTF8_STRING, 'a')), []],
    ["asn1: structure error: tags don't match", derElement(SET), []],
    [
      'x509: a name has too many parts',
      derSequence(...Array.from({ length: 101 }, () => relative(ORGANIZATION, UTF8_STRING, 'a'))),
      [],
    ],
    ['x509: SAN dNSName is malformed', derSequence(), [askingFor(derSequence(derElement(0x82, Buffer.from('ä'))))]],
    ['x509: SAN rfc822Name is malformed', derSequence(), [askingFor(derSequence(derElement(0x81, Buffer.from([0]))))]],
    [
      'x509: SAN uniformResourceIdentifier is malformed',
      derSequence(),
      [askingFor(derSequence(derElement(0x86, Buffer.from('\n'))))],
    ],
    [
      'x509: cannot parse IP address of length 5',
      derSequence(),
      [askingFor(derSequence(derElement(0x87, Buffer.alloc(5))))],
    ],
    [
      'x509: too many subjectAltNames',
      derSequence(),
      [askingFor(derSequence(...Array.from({ length: 1001 }, () => derElement(0x82))))],
    ],
    ['x509: certificate request contains duplicate requested extensions', derSequence(), [asking(NO_NAMES, NO_NAMES)]],
    [
      'x509: a certificate request has too many attributes',
      derSequence(),
      Array.from({ length: 101 }, () => derSequence(identifier('55'), derElement(SET))),
    ],
    ["asn1: structure error: tags don't match", derSequence(), [derElement(SET)]],
    ["asn1: structure error: tags don't match", derSequence(), [askingFor(derElement(SET))]],
  ])('is refused: %s', (why, name, attributes) => {
    expect(requestError(requestOf(name, ...attributes))).toBe(why);
  });
});

describe('the signers of the control plane', () => {
  it('have names of each profile', () => {
    const named = (profile: 'orch' | 'kubernetes') =>
      SIGNERS.map(({ canonicalName }) => namesOf(profile).key(canonicalName));
    expect(named('kubernetes')).toEqual([
      'kubernetes.io/kube-apiserver-client',
      'kubernetes.io/kube-apiserver-client-kubelet',
      'kubernetes.io/kubelet-serving',
      'kubernetes.io/legacy-unknown',
    ]);
    expect(named('orch')).toEqual([
      'orch.io/apiserver-client',
      'orch.io/kube-apiserver-client-kubelet',
      'orch.io/kubelet-serving',
      'orch.io/legacy-unknown',
    ]);
    expect(signerOf('orch.io/kubelet-serving', namesOf('orch'))?.id).toBe('kubelet-serving');
    expect(signerOf('orch.io/kubelet-serving', namesOf('kubernetes'))).toBeUndefined();
    expect(signerOf('example.com/own', namesOf('orch'))).toBeUndefined();
  });

  const NODE = { commonName: 'system:node:a', organizations: ['system:nodes'] };
  const [DNS, IP, EMAIL, URI] = [
    { type: 'dns', value: 'a' },
    { type: 'ip', value: '10.0.0.1' },
    { type: 'email', value: 'a@b' },
    { type: 'url', value: 'https://a' },
  ] as const;
  const [SIGN, CRYPT, CLIENT, SERVER] = ['digital signature', 'key encipherment', 'client auth', 'server auth'];
  type Named = Parameters<typeof makeCertificateRequest>[1];
  const CLIENT_USAGES = 'usages did not match [client auth digital signature key encipherment]';
  const SERVER_USAGES = 'usages did not match [digital signature key encipherment server auth]';

  it.each<[SignerId, string | undefined, typeof NODE, NonNullable<Named>['names'] & object, (string | undefined)[]]>([
    ['kube-apiserver-client', undefined, { commonName: 'x', organizations: [] }, [DNS], [CLIENT]],
    ['kube-apiserver-client', undefined, NODE, [], [CRYPT, CLIENT, SIGN]],
    ['kube-apiserver-client', 'invalid usage for client certificate: server auth', NODE, [], [CLIENT, SERVER]],
    ['kube-apiserver-client', 'missing required usage for client certificate: client auth', NODE, [], [SIGN]],
    ['kubelet-client', undefined, NODE, [], [SIGN, CLIENT]],
    ['kubelet-client', undefined, NODE, [], [SIGN, CRYPT, CLIENT]],
    ['kubelet-client', CLIENT_USAGES, NODE, [], [CLIENT]],
    ['kubelet-client', CLIENT_USAGES, NODE, [], [SIGN, CLIENT, SERVER]],
    ['kubelet-client', CLIENT_USAGES, NODE, [], [SIGN, SERVER]],
    ['kubelet-client', 'subject organization is not system:nodes', { ...NODE, organizations: [] }, [], [SIGN, CLIENT]],
    [
      'kubelet-client',
      'subject organization is not system:nodes',
      { ...NODE, organizations: ['system:nodes', 'system:masters'] },
      [],
      [SIGN, CLIENT],
    ],
    [
      'kubelet-client',
      'subject common name does not begin with system:node:',
      { ...NODE, commonName: 'system:nodes:a' },
      [],
      [SIGN, CLIENT],
    ],
    ['kubelet-client', 'DNS subjectAltNames are not allowed', NODE, [DNS], [SIGN, CLIENT]],
    ['kubelet-client', 'Email subjectAltNames are not allowed', NODE, [EMAIL], [SIGN, CLIENT]],
    ['kubelet-client', 'IP subjectAltNames are not allowed', NODE, [IP], [SIGN, CLIENT]],
    ['kubelet-client', 'URI subjectAltNames are not allowed', NODE, [URI], [SIGN, CLIENT]],
    ['kubelet-serving', undefined, NODE, [DNS], [SIGN, SERVER]],
    ['kubelet-serving', undefined, NODE, [IP], [CRYPT, SIGN, SERVER]],
    ['kubelet-serving', 'DNS or IP subjectAltName is required', NODE, [], [SIGN, SERVER]],
    ['kubelet-serving', 'Email subjectAltNames are not allowed', NODE, [DNS, EMAIL], [SIGN, SERVER]],
    ['kubelet-serving', 'URI subjectAltNames are not allowed', NODE, [DNS, URI], [SIGN, SERVER]],
    ['kubelet-serving', SERVER_USAGES, NODE, [DNS], [SIGN, CLIENT]],
    ['kubelet-serving', SERVER_USAGES, NODE, [DNS], [SIGN, SERVER, CLIENT]],
    [
      'kubelet-serving',
      'subject organization is not system:nodes',
      { ...NODE, organizations: ['a'] },
      [DNS],
      [SIGN, SERVER],
    ],
    [
      'kubelet-serving',
      'subject common name does not begin with system:node:',
      { ...NODE, commonName: 'a' },
      [DNS],
      [SIGN, SERVER],
    ],
    ['legacy-unknown', undefined, { commonName: 'x', organizations: ['y'] }, [URI], ['any']],
  ])('%s: %s', async (id, expected, subject, names, usages) => {
    const { request } = await makeCertificateRequest(subject, { names });
    const signer = SIGNERS.find((each) => each.id === id);
    expect(signer?.refusal(readCertificateRequest(request), usages as string[])).toBe(expected);
  });
});
