import type { Row } from '@orch/storage';

/** A stored object: body without apiVersion, kind and resourceVersion, and the version it was committed at. */
export type Stored = Pick<Row, 'version' | 'storedVersion' | 'defaults' | 'body'>;
