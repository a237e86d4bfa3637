/** Values per step, about: 1,024 take a millisecond or two when the code is warm. */
export const PIECE = 1_024;
