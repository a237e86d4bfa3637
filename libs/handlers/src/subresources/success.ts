import type { Status } from '@orch/machinery';

/** Response to a POST that has been executed and left no object to return. */
export const CREATED: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
