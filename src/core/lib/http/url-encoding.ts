/** The percent-encoding of queries and urlencoded forms. */
import { badRequest } from "../../problem.ts";

const replacementCharacter = "\ufffd";
const sentReplacement = /%EF%BF%BD/i;

const [percent, plus, space] = [0x25, 0x2b, 0x20];

/** The value of each hex digit, -1 for any other byte. */
const hexValues = new Int8Array(256).fill(-1);
for (const digit of "0123456789abcdefABCDEF") hexValues[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
const hexValue = (byte: number | undefined): number => hexValues[byte ?? 0] as number;

const pieceBytes = 64 * 1024;

/**
 * Decodes one urlencoded value, piece by piece: that of a webhook has up to 25 MiB. A piece is valid until
 * the next is asked for.
 */
export function* decodeUrlEncoded(encoded: Uint8Array): Generator<Uint8Array> {
  const piece = new Uint8Array(Math.min(pieceBytes, encoded.length));
  for (let at = 0; at < encoded.length; ) {
    const { end, length } = decodePiece(encoded, at, piece);
    yield piece.subarray(0, length);
    at = end;
  }
}

/** Decodes until the piece is full. */
function decodePiece(encoded: Uint8Array, start: number, piece: Uint8Array): { end: number; length: number } {
  let at = start;
  let length = 0;
  for (; at < encoded.length && length < piece.length; at++) {
    let byte = encoded[at] as number;
    if (byte === plus) byte = space;
    else if (byte === percent) {
      const high = hexValue(encoded[at + 1]);
      const low = hexValue(encoded[at + 2]);
      if (high >= 0 && low >= 0) {
        byte = 16 * high + low;
        at += 2;
      }
    }
    piece[length++] = byte;
  }
  return { end: at, length };
}

/**
 * The pairs of a query or form. `URLSearchParams` puts U+FFFD in place of what is not UTF-8.
 * @throws {Problem} 400 if it replaced a part of the value of a pair that is asked for
 */
export function* urlEncodedPairs(
  source: string,
  isAskedFor: (name: string) => boolean,
): Generator<[name: string, value: string]> {
  const hasReplacement = sentReplacement.test(source);
  for (const [name, value] of new URLSearchParams(source)) {
    if (!isAskedFor(name)) continue;
    if (!hasReplacement && value.includes(replacementCharacter))
      throw badRequest(`${name} is not valid UTF-8.`);
    yield [name, value];
  }
}
