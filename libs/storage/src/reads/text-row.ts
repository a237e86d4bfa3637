/** Row of a result; every column in PostgreSQL's text form, null for NULL. */
export type TextRow = readonly (string | null)[];
