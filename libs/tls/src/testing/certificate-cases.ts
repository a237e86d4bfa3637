// The X.509 library resolves its parts through decorators' metadata, which this import provides; it must come first.
import 'reflect-metadata';
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/**
 * A peer that shows a certificate to somebody who trusts a bundle; the certificate is good for servers and clients
 * unless the name says otherwise.
 */
export interface CertificateCase {
  /** What is special about it. */
  readonly name: string;
  /** Trusted certificates, PEM. */
  readonly bundle: string;
  /** The peer's certificate, and those that it sends beside it, PEM. */
  readonly chain: string;
  /** Private key of the peer, PEM. */
  readonly key: string;
}

/** Hosts that certificates are for: an address, a name, and a service's name. */
export const HOSTS = ['127.0.0.1', 'localhost', 'ext.trust.svc'] as const;

type Keys = webcrypto.CryptoKeyPair;
/** A certificate and its keys. */
interface Issued {
  readonly certificate: x509.X509Certificate;
  readonly keys: Keys;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const rsa = (modulusLength: number, hash: string) =>
  ({ name: 'RSASSA-PKCS1-v1_5', modulusLength, hash, publicExponent: new Uint8Array([1, 0, 1]) }) as const;
type Algorithm = typeof EC | ReturnType<typeof rsa> | { readonly name: 'Ed25519' };

const { serverAuth, clientAuth, codeSigning } = x509.ExtendedKeyUsage;
const HOUR_MS = 3_600_000;

/** How a certificate is made; everything has a default. */
interface Making {
  /** Common name. Default: one that no other has. */
  readonly name?: string;
  /** Default: itself. */
  readonly by?: Issued;
  /** Default P-256. */
  readonly algorithm?: Algorithm;
  /** Hash of the signature, where the issuer's key is of RSA. */
  readonly ca?: boolean;
  readonly usages?: readonly string[];
  /** Default {@link HOSTS}. */
  readonly hosts?: readonly string[];
  /** Hours from now. Default from 1 before to 24 after. */
  readonly hours?: readonly [from: number, to: number];
  /** Whether keys are identified, by which authorities of one name are told apart. Default true. */
  readonly identified?: boolean;
  readonly keyUsage?: number;
  readonly more?: readonly x509.Extension[];
}

async function make(making: Making = {}): Promise<Issued> {
  const { name = `n-${randomBytes(6).toString('hex')}`, algorithm = EC, by, hours: [from, to] = [-1, 24] } = making;
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as Keys;
  const signer = by?.keys ?? keys;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: `4${randomBytes(8).toString('hex').slice(1)}`,
    subject: [{ CN: [name] }],
    issuer: by ? by.certificate.subjectName.toJSON() : [{ CN: [name] }],
    notBefore: new Date(Date.now() + from * HOUR_MS),
    notAfter: new Date(Date.now() + to * HOUR_MS),
    signingAlgorithm: { ...(signer.privateKey.algorithm as Algorithm), ...(isEc(signer) && { hash: 'SHA-256' }) },
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    extensions: await extensionsOf(making, keys, signer),
  });
  return { certificate, keys };
}

const isEc = ({ privateKey }: Keys): boolean => privateKey.algorithm.name === 'ECDSA';

async function extensionsOf(making: Making, keys: Keys, signer: Keys): Promise<x509.Extension[]> {
  const { ca = false, usages = [serverAuth, clientAuth], hosts = HOSTS, identified = true, more = [] } = making;
  const usage = ca ? x509.KeyUsageFlags.keyCertSign : x509.KeyUsageFlags.digitalSignature;
  const names = hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }) as const);
  return [
    new x509.BasicConstraintsExtension(ca, undefined, true),
    new x509.KeyUsagesExtension(making.keyUsage ?? usage, true),
    ...(!ca && usages.length > 0 ? [new x509.ExtendedKeyUsageExtension([...usages])] : []),
    ...(!ca && names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ...(identified ? [await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)] : []),
    ...(identified ? [await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey)] : []),
    ...more,
  ];
}

const authority = (making: Making = {}): Promise<Issued> => make({ ca: true, ...making });

/** DER: a tag, and what is in it. */
const der = (tag: number, ...content: readonly (Uint8Array | string)[]): Buffer => {
  const body = Buffer.concat(content.map((part) => Buffer.from(part as Uint8Array)));
  return Buffer.concat([Buffer.from([tag, body.length]), body]);
};

/** Name constraints (RFC 5280 section 4.2.1.10) that permit a domain and the addresses of a network of eight bits. */
const permitting = (domains: readonly string[], network: number): x509.Extension => {
  const subtrees = [
    ...domains.map((name) => der(0x82, Buffer.from(name))),
    der(0x87, Buffer.from([network, 0, 0, 0, 255, 0, 0, 0])),
  ];
  return new x509.Extension('2.5.29.30', true, der(0x30, der(0xa0, ...subtrees.map((each) => der(0x30, each)))));
};

/** Unknown to everybody. */
const STRANGE = new x509.Extension('1.2.3.4.5', true, der(0x05));

const pemOf = (...issued: readonly Issued[]): string =>
  issued.map(({ certificate }) => `${certificate.toString('pem')}\n`).join('');

async function caseOf(name: string, anchors: readonly Issued[], ...chain: readonly Issued[]): Promise<CertificateCase> {
  const [leaf] = chain;
  if (!leaf) throw new Error('nothing is shown');
  const key = KeyObject.from(leaf.keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { name, bundle: pemOf(...anchors), chain: pemOf(...chain), key };
}

/** Certificates below a root of their own, with what is special about the root and the certificate. */
async function below(name: string, root: Making, leaf: Making): Promise<CertificateCase> {
  const ca = await authority(root);
  return caseOf(name, [ca], await make({ by: ca, ...leaf }));
}

/**
 * A root, an intermediate, and certificates that these have signed; no two cases share one, so that all bundles can be
 * trusted at once.
 */
interface Tree {
  readonly root: Issued;
  readonly between: Issued;
  /** Signed by the root. */
  readonly leaf: Issued;
  /** Signed by the intermediate. */
  readonly far: Issued;
}

async function tree(): Promise<Tree> {
  const root = await authority();
  const between = await authority({ by: root });
  return { root, between, leaf: await make({ by: root }), far: await make({ by: between }) };
}

/** Cases about which certificate of a chain is trusted: their names, who is trusted, and what is sent. */
const ANCHORS: readonly [name: string, anchor: keyof Tree, ...chain: (keyof Tree)[]][] = [
  ['the root is trusted', 'root', 'leaf'],
  ['the certificate itself is trusted, its root is not', 'leaf', 'leaf'],
  ['the root is trusted, the intermediate is not sent', 'root', 'far'],
  ['the root is trusted, the intermediate is sent', 'root', 'far', 'between'],
  ['the intermediate alone is trusted, and not sent', 'between', 'far'],
  ['the intermediate alone is trusted, and sent', 'between', 'far', 'between'],
  ['the intermediate alone is trusted, and sent with its root', 'between', 'far', 'between', 'root'],
  ['the intermediate alone is trusted, the root has signed beside it', 'between', 'leaf', 'root'],
];

async function anchorCases(): Promise<CertificateCase[]> {
  const cases: CertificateCase[] = [];
  for (const [name, anchor, ...chain] of ANCHORS) {
    const made = await tree();
    cases.push(await caseOf(name, [made[anchor]], ...chain.map((which) => made[which])));
  }
  return cases;
}

/** Cases about certificates that are trusted themselves, and about nobody who is. */
async function otherAnchorCases(): Promise<CertificateCase[]> {
  const [single, root, issuer] = [await make(), await authority(), await make()];
  const expired = await make({ by: await authority(), hours: [-48, -24] });
  const [sibling, leaf] = [await make({ by: root }), await make({ by: root })];
  return [
    await caseOf('the certificate itself is trusted, signed by itself', [single], single),
    await caseOf('the certificate itself is trusted, and has expired', [expired], expired),
    await caseOf('another certificate of the same root is trusted', [sibling], leaf),
    await caseOf(
      'a certificate that is no authority is trusted, and has signed it',
      [issuer],
      await make({ by: issuer }),
    ),
    await caseOf('nobody who is trusted has signed it', [await authority()], await make({ by: await authority() })),
  ];
}

/** Cases of two authorities that have one name. */
async function namesakeCases(identified: boolean): Promise<CertificateCase[]> {
  const how = identified ? 'with key identifiers' : 'without key identifiers';
  const twins = async () => {
    const name = `twin-${randomBytes(6).toString('hex')}`;
    const [first, second] = [await authority({ name, identified }), await authority({ name, identified })];
    return { first, second, leaf: await make({ by: second, identified }) };
  };
  const [both, one] = [await twins(), await twins()];
  return [
    await caseOf(`two authorities of one name ${how}, the second has signed`, [both.first, both.second], both.leaf),
    await caseOf(`an authority of the name of another ${how}, which has signed`, [one.first], one.leaf),
  ];
}

/** Cases about what a certificate says. */
async function contentCases(): Promise<CertificateCase[]> {
  const usage = (name: string, ...usages: readonly string[]) => below(`extended key usage: ${name}`, {}, { usages });
  return [
    await below('the root has expired', { hours: [-48, -1] }, { hours: [-24, 24] }),
    await below('it is not valid yet', {}, { hours: [1, 24] }),
    await below('no alternative names', {}, { hosts: [] }),
    await below('the address stands in the common name only', {}, { name: '127.0.0.1', hosts: [] }),
    await below('the name stands in the common name only', {}, { name: 'localhost', hosts: [] }),
    await below(
      'the name stands in the common name, an address beside it',
      {},
      { name: 'localhost', hosts: ['127.0.0.1'] },
    ),
    await below('alternative names of another host', {}, { hosts: ['10.0.0.1', 'elsewhere.example'] }),
    await usage('none is named'),
    await usage('servers', serverAuth),
    await usage('clients', clientAuth),
    await usage('code signing', codeSigning),
    await usage('any', '2.5.29.37.0'),
    await below('key usage: an authority’s only', {}, { keyUsage: x509.KeyUsageFlags.keyCertSign }),
    await below('signed with SHA-1', { algorithm: rsa(2048, 'SHA-1') }, {}),
    await below('RSA of 1,024 bits', {}, { algorithm: rsa(1024, 'SHA-256') }),
    await below('RSA of 2,048 bits', {}, { algorithm: rsa(2048, 'SHA-256') }),
    await below('Ed25519', { algorithm: { name: 'Ed25519' } }, { algorithm: { name: 'Ed25519' } }),
    await below('name constraints that permit its names', { more: [permitting(['localhost', 'svc'], 127)] }, {}),
    await below('name constraints that forbid its names', { more: [permitting(['elsewhere.example'], 10)] }, {}),
    await below('an unknown critical extension', {}, { more: [STRANGE] }),
    await below('an unknown critical extension of the root', { more: [STRANGE] }, {}),
  ];
}

/** Makes all cases anew, each with keys and names of its own. */
export async function certificateCases(): Promise<CertificateCase[]> {
  return [
    ...(await anchorCases()),
    ...(await otherAnchorCases()),
    ...(await namesakeCases(true)),
    ...(await namesakeCases(false)),
    ...(await contentCases()),
  ];
}

/** A certificate that is signed by itself and trusted by whoever has it in a bundle; PEM. */
export async function selfSigned(): Promise<{ readonly cert: string; readonly key: string }> {
  const { chain, key } = await caseOf('', [], await make());
  return { cert: chain, key };
}
