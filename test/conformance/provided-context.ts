import type { NamingProfile } from '@orch/machinery';

/** What the set-up of the conformance suite hands to its tests: a server in each naming profile. */
export interface ConformanceServer {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: Readonly<Record<NamingProfile, ConformanceServer>>;
  }
}
