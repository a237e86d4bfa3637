import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import type { Extension, X509Certificate } from '@peculiar/x509';
import { type Issuer, pem, serialNumber } from './certificates.js';
import { certificatesOf } from './trust.js';
import { usageExtensions } from './usages.js';
import { type X509Library, x509Library } from './x509-library.js';

/** Content of a certificate to sign. Names are DER that has been decoded and encoded again. */
export interface ToSign {
  /** DER of the name. */
  readonly subject: Uint8Array;
  /** DER of the alternative names; undefined for none. */
  readonly alternativeNames: Uint8Array | undefined;
  /** DER (SubjectPublicKeyInfo). */
  readonly publicKey: Uint8Array;
  /** Usages in the words of certificate requests. */
  readonly usages: readonly string[];
  /** Lifetime in milliseconds. */
  readonly lifetime: number;
}

/** Certificates become valid a little in the past, for machines whose clocks are behind. */
const BACKDATE_MS = 300_000;
/** Certificates with a shorter lifetime keep their full length. */
const SHORT_MS = 8 * 3_600_000;
const ALTERNATIVE_NAMES = '2.5.29.17';
const EMPTY_NAME = 2;

/** Signature algorithms of elliptic curves, by OpenSSL's name of the curve. */
const CURVES: Readonly<Record<string, { namedCurve: string; hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
};

/**
 * Signs certificates with an authority's key: RSA, or of one of the NIST curves. Signing is done off the event loop.
 */
export class SigningAuthority {
  private constructor(
    private readonly x509: X509Library,
    private readonly certificate: X509Certificate,
    private readonly key: webcrypto.CryptoKey,
    private readonly algorithm: { readonly name: string; readonly hash: string },
  ) {}

  /** @throws Error as {@link checkAuthority} does, and for an invalid key */
  static async of({ cert, key }: Issuer): Promise<SigningAuthority> {
    const object = createPrivateKey(key);
    checkAuthority(cert, object);
    const algorithm = algorithmOf(object);
    const pkcs8 = object.export({ type: 'pkcs8', format: 'der' });
    const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
    const x509 = await x509Library();
    return new SigningAuthority(x509, new x509.X509Certificate(cert), signingKey, algorithm);
  }

  /**
   * Issues a certificate, PEM; it never outlives the authority.
   * @throws Error when the authority has expired, or for invalid usages and keys
   */
  async sign({ subject, alternativeNames, publicKey, usages, lifetime }: ToSign, now: number): Promise<string> {
    const { x509, certificate: authority } = this;
    const { subjectName: issuer, notAfter: end } = authority;
    if (now >= end.getTime())
      throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${end.toISOString()}`);
    const wanted = now + (lifetime < SHORT_MS ? lifetime : lifetime - BACKDATE_MS);
    const certificate = await x509.X509CertificateGenerator.create({
      notBefore: wholeSeconds(now - BACKDATE_MS),
      notAfter: wholeSeconds(Math.min(wanted, end.getTime())),
      serialNumber: serialNumber(),
      subject: new x509.Name(subject),
      issuer,
      signingAlgorithm: this.algorithm,
      publicKey: new x509.PublicKey(publicKey),
      signingKey: this.key,
      extensions: [
        ...usageExtensions(x509, usages),
        new x509.BasicConstraintsExtension(false, undefined, true),
        ...this.#keyIdentifier(),
        // With an empty subject the alternative names are critical (RFC 5280 section 4.1.2.6).
        ...(alternativeNames
          ? [new x509.Extension(ALTERNATIVE_NAMES, subject.length === EMPTY_NAME, alternativeNames)]
          : []),
      ],
    });
    return pem(certificate);
  }

  /** Returns the extension that identifies the authority's key. */
  #keyIdentifier(): Extension[] {
    const own = this.certificate.getExtension(this.x509.SubjectKeyIdentifierExtension);
    return own ? [new this.x509.AuthorityKeyIdentifierExtension(own.keyId)] : [];
  }
}

/** @throws Error unless these are one certificate of an authority and its key, of a supported type */
export function checkAuthority(cert: string, key: KeyObject): void {
  const [certificate, ...others] = certificatesOf(cert);
  if (others.length > 0) throw new Error(`expected 1 certificate, found ${others.length + 1}`);
  if (!certificate.ca) throw new Error('the certificate is not that of a certificate authority');
  if (!certificate.checkPrivateKey(key)) throw new Error('the certificate does not match its key');
  algorithmOf(key);
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const curve = type === 'ec' ? CURVES[details?.namedCurve ?? ''] : undefined;
  if (!curve) throw new Error('the key of an authority that signs must be RSA or ECDSA on P-256, P-384 or P-521');
  return { name: 'ECDSA', ...curve };
}

/** Times in certificates have no parts of seconds. */
const wholeSeconds = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000);
