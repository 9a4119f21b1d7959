/** How the looks of an image are written. Without schemas, whose library takes a child 0.8 ms to load. */

/** Cells in a row and in a column of a signature. */
export const signatureSide = 8;

/** 64 bits as hex digits. */
export const isPictureHash = (value: unknown): value is string =>
  typeof value === "string" && /^[\da-f]{16}$/.test(value);

/** Three bytes for each cell, in base64. */
export const isSignature = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9+/]+$/.test(value) && value.length === signatureSide ** 2 * 4;
