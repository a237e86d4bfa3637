/** Names by key and their values. */
export type StringMap = Readonly<Record<string, string>>;
