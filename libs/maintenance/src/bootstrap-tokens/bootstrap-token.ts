import { BOOTSTRAP_SECRETS, bootstrapTokenEnd } from '@orch/authentication';
import type { Secret } from '@orch/schema/types/core/v1';

/** A bootstrap token, as its Secret declares it. */
export interface BootstrapToken {
  /** Name of the Secret. */
  readonly name: string;
  /** UID of the Secret. */
  readonly uid: string;
  /** Time at which it ends, milliseconds since 1970; infinite without an end, 0 for one that cannot be read. */
  readonly expiresAt: number;
  /** The two parts of the token; undefined for one that does not sign `cluster-info`, or is invalid. */
  readonly signing: { readonly id: string; readonly secret: string } | undefined;
}

const ID = /^[a-z0-9]{6}$/;

/** Returns the token that a Secret of the type of bootstrap tokens holds. */
export function bootstrapTokenOf({ metadata, data = {} }: Secret, uid: string): BootstrapToken {
  const name = metadata?.name ?? '';
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const [id, secret] = [text('token-id'), text('token-secret')];
  const isNamedAfter = ID.test(id) && name === BOOTSTRAP_SECRETS.prefix + id;
  const signs = isNamedAfter && secret !== '' && text('usage-bootstrap-signing') === 'true';
  return { name, uid, expiresAt: bootstrapTokenEnd(text('expiration')), signing: signs ? { id, secret } : undefined };
}
