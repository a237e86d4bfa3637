// Generated from proto/ by `npm run generate`. Not to be edited.
export const STREAMS = ['attach', 'exec', 'log', 'portforward', 'proxy'] as const;
