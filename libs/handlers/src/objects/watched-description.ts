import type { Endpoint } from '@orch/resources';
import type { TypeDescription } from '@orch/watchcache';

/** Type description for the watches of an endpoint: objects that a webhook converts are kept converted in memory. */
export const watchedDescription = ({ description, stage }: Endpoint): TypeDescription =>
  stage ? { ...description, conversion: stage } : description;
