import type { SecureContext, Server } from 'node:tls';

/** Parts of Node's server and of its contexts that their types leave out. */
interface WithContext {
  readonly _sharedCreds?: SecureContext & { readonly context?: { setAllowPartialTrustChain?: () => void } };
}

/**
 * Lets the chains of client certificates end at any certificate of the `ca` that a server was made with, as
 * `allowPartialTrustChain` does for a context: `tls.createServer` does not hand that option on. To be called after the
 * server is made, and after each `setSecureContext`.
 * @throws Error on a release of Node that has no such switch, lest certificates be refused without a reason
 */
export function acceptPartialChains(server: Pick<Server, 'setSecureContext'>): void {
  const context = (server as unknown as WithContext)._sharedCreds?.context;
  if (!context?.setAllowPartialTrustChain) throw new Error(`Node ${process.version} cannot trust intermediates alone`);
  context.setAllowPartialTrustChain();
}
