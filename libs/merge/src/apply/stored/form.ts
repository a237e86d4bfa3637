/*
 * Text of `managedFields` in a compact binary form, about one byte per field: names of fields are numbers, constant
 * parts are omitted, and equal levels below several items are written once. It needs neither the object nor its schema,
 * so that a row can be decoded as it comes from the database.
 *
 *   bytes  = form entry*
 *   entry  = flags [manager] apiVersion [time] level [subresource]
 *   level  = member* END  |  AGAIN number      the levels of an entry are numbered in the order in which they end
 *   member = code [name] [level]               a name if the code has none; a level unless the member is a leaf
 *
 * Codes, numbers and lengths are variable: 7 bits a byte, the low ones first. Texts are those of the JSON, as between
 * quotes.
 */

/**
 * First byte; another number will mean another form. Reading a form ships one release before writing it: a server that
 * cannot read owners would lose them with its next write to the object.
 */
export const FORM = 2;
/** The previous form: without {@link NAMED_LEAF}, {@link NAMED} and {@link AGAIN}. Rows hold it, so it is read. */
export const FORMER = 1;

/** Code that ends a level. */
export const END = 0;
/** An item whose text follows, as a leaf. */
export const LITERAL_LEAF = 1;
/** An item whose text follows, with a level. */
export const LITERAL = 2;
/** An item with a name, which follows, as a leaf; the next code is the same with a level. */
export const NAMED_LEAF = 3;
/** An item with a name, which follows, with a level. */
export const NAMED = 4;
/** A level that is equal to an earlier one, whose number follows. */
export const AGAIN = 5;

/** Code of the first known name as a leaf; the next is the same name with a level. */
export const FIRST_NAME = 6;
/** Same in the previous form. */
export const FORMER_FIRST_NAME = 3;

/** Text before the name of an item that is identified by it. */
export const NAMED_OPENING = String.raw`k:{\"name\":\"`;
/** Text behind that name. */
export const NAMED_END = String.raw`\"}`;

/** Flag of an entry whose operation is `Apply`. */
export const APPLY = 1;
/** Flag of an entry with a manager. */
export const WITH_MANAGER = 2;
/** Flag of an entry with a time. */
export const WITH_TIME = 4;
/** Flag of an entry with a subresource. */
export const WITH_SUBRESOURCE = 8;
