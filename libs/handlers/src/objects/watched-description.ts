import type { Endpoint } from '@orch/resources';
import type { TypeDescription } from '@orch/watchcache';

/** What streams of an endpoint are made of: what takes time to convert has been converted before it is in memory. */
export const watchedDescription = ({ description, stage }: Endpoint): TypeDescription =>
  stage ? { ...description, conversion: stage } : description;
