import type { Row } from '@orch/storage';

/** An object as it is kept: body without apiVersion, kind and resourceVersion, and the version it was committed at. */
export type Stored = Pick<Row, 'version' | 'storedVersion' | 'defaults' | 'body'>;
