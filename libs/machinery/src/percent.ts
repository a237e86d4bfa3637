const PERCENT = /^\d+%$/;

/** Whether a text is a percentage such as `25%`. */
export const isPercent = (text: string): boolean => PERCENT.test(text);
