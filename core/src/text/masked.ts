/** Shown in place of a sensitive value. */
export const MASKED = '(sensitive)';
