/** How large a variant set may be. */

/** Variants of one review, and of a set that a page shows. */
export const variantsMax = 1_000;
