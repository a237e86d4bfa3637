import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** The version of this software, as its packages, its chart and its changelog say it. */
export const RELEASE: string = version;
