declare module "fontkit" {
  interface Path {
    bbox: { minX: number; minY: number; maxX: number; maxY: number };
    /** Each changes a copy. */
    scale(x: number, y: number): Path;
    translate(x: number, y: number): Path;
    mapPoints(map: (x: number, y: number) => [number, number]): Path;
    toSVG(): string;
  }
  interface Font {
    fullName: string | null;
    familyName: string | null;
    unitsPerEm: number;
    numGlyphs: number;
    "OS/2"?: { usWeightClass?: number } | undefined;
    characterSet: number[];
    variationAxes: Record<string, { min: number; max: number } | undefined>;
    glyphForCodePoint(codePoint: number): { id: number; advanceWidth: number; path: Path };
  }
  export function create(bytes: Uint8Array): Font | { fonts: Font[] };
}
