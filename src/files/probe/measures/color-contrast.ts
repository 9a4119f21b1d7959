/** Colors of style sheets over what is behind them, and their contrast (WCAG 2.2, 1.4.3). */

export type Color = readonly [red: number, green: number, blue: number];

/** A declared color over what is behind it; `before` where none is declared, and null for one that is not known. */
export function colorOn(value: string | undefined, before: Color | null, behind: Color | null): Color | null {
  if (value === undefined || /^(?:inherit|unset|initial|currentcolor|none)$/i.test(value)) return before;
  if (value === "transparent") return before;
  const parsed = Bun.color(value, "[rgba]");
  if (!parsed) return null;
  const [red, green, blue, alpha] = parsed;
  return alpha === 255 ? [red, green, blue] : fade([red, green, blue], behind, alpha / 255);
}

export const fade = (color: Color | null, behind: Color | null, alpha: number): Color | null =>
  color && behind && alpha < 1
    ? (color.map((part, at) => part * alpha + (behind[at] as number) * (1 - alpha)) as never)
    : color;

/** 1 to 21. */
export function contrastOf(a: Color, b: Color): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
