/** How far what waits is counted. */

/** The most that is counted: more is shown as "99+". */
export const countMax = 100;
