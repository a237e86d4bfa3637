import type { TypeDescription } from '@orch/watchcache';
import type { Endpoint } from '../../resources/served/endpoint.js';

/** What streams of an endpoint are made of: what takes time to convert has been converted before it is in memory. */
export const watchedDescription = ({ description, stage }: Endpoint): TypeDescription =>
  stage ? { ...description, conversion: stage } : description;
