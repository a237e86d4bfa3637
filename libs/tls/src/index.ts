export { acceptPartialChains } from './accept-partial-chains.js';
export {
  PARTIAL_CHAINS,
  type PeerOptions,
  peerOptions,
  type TlsMaterial,
  type TrustOptions,
  trustOptions,
} from './peer-options.js';
export { requireNamedHost } from './server-identity.js';
