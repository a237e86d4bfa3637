import type { Status } from '@orch/machinery';
import type { Endpoint, Stored } from '@orch/resources';
import { deletionAnswersObject } from '@orch/schema';
import type { Removal } from './object-remover.js';

/** The answer to a deletion: the object while something keeps it, then what its kind declares, mostly a Status. */
export function removalAnswer(
  endpoint: Endpoint,
  name: string,
  removal: Removal,
): { stored: Stored } | { status: Status } {
  if (!removal.gone || deletionAnswersObject(endpoint.model.struct)) return { stored: removal.stored };
  const { group, resource } = endpoint.groupResource;
  return {
    status: {
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
      details: { name, ...(group && { group }), kind: resource, uid: removal.uid },
      code: 200,
    },
  };
}
