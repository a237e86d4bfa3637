/** Unknown and repeated fields that are told: further ones say nothing new. */
export const MAX_PROBLEMS = 100;

/** Characters of their paths behind which none is told: a path may be as long as a body. */
export const MAX_PROBLEM_TEXT = 64 << 10;
