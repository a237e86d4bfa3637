/** Values that are worked on in one step, about: 1,024 take a millisecond or two where the code is warm. */
export const PIECE = 1_024;
