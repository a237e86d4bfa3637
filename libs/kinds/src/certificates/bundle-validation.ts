import { X509Certificate } from 'node:crypto';
import { dnsSubdomainErrors, type FieldError, invalidValue } from '@orch/machinery';
import type { ClusterTrustBundle } from '@orch/schema/types/certificates/v1alpha1';
import { invalidEach } from '../rules/checks.js';
import { type PemBlock, pemBlocks } from './pem.js';
import { validateSignerName } from './signer-name.js';

const FIELD = 'spec.trustBundle';

/** Certificates that are looked into in one step: some milliseconds. */
const A_STEP = 64;

/** Checks the signer that a bundle names. */
export function validateSigner({ spec }: ClusterTrustBundle): FieldError[] {
  const signer = spec?.signerName ?? '';
  return signer === '' ? [] : validateSignerName(signer, 'spec.signerName');
}

/** The bundle of a signer has its name before its own. */
export function validateBundleName({ metadata, spec }: ClusterTrustBundle): FieldError[] {
  const name = metadata?.name ?? '';
  const signer = spec?.signerName ?? '';
  return invalidEach('metadata.name', name, nameErrors(name, signer));
}

function nameErrors(name: string, signer: string): string[] {
  if (signer === '') {
    if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return dnsSubdomainErrors(name);
  }
  const prefix = `${signer.replaceAll('/', ':')}:`;
  if (name.startsWith(prefix)) return dnsSubdomainErrors(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

/** Certificates of authorities, in steps. `old` is the stored bundle, in an update. */
export function* validateAnchors({ spec }: ClusterTrustBundle, old?: ClusterTrustBundle): Iterable<FieldError[]> {
  const bundle = spec?.trustBundle ?? '';
  if (old && bundle === (old.spec?.trustBundle ?? '')) return;
  const wrong: string[] = [];
  const places = new Map<string, number[]>();
  let index = 0;
  for (const block of pemBlocks(bundle)) {
    const fault = anchorFault(block);
    if (fault !== undefined) wrong.push(`entry ${index} ${fault}`);
    const key = block.bytes.toString('latin1');
    const held = places.get(key);
    if (held) held.push(index);
    else places.set(key, [index]);
    index++;
    if (index % A_STEP === 0) yield [];
  }
  yield refuse(wrong.length > 0 ? wrong : faultsOfAll(places));
}

const refuse = (texts: readonly string[]): FieldError[] =>
  texts.map((text) => invalidValue(FIELD, '<value omitted>', text));

function faultsOfAll(places: ReadonlyMap<string, readonly number[]>): string[] {
  if (places.size === 0) return ['at least one trust anchor must be provided'];
  const twice = [...places.values()].filter((indices) => indices.length > 1);
  return twice.map((indices) => `duplicate trust anchor (indices [${indices.join(' ')}])`);
}

function anchorFault({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  try {
    return new X509Certificate(bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}
