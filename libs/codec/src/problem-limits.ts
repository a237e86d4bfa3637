/** Limit of reported unknown and repeated fields: more would not help. */
export const MAX_PROBLEMS = 100;

/** Limit of the characters of their paths: a path may be as long as a body. */
export const MAX_PROBLEM_TEXT = 64 << 10;
