import type { Status } from '@orch/machinery';

/** What is answered to a POST that has been carried out and left nothing to show. */
export const CREATED: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
