/** The icon of the site with a count in its corner, for the tab of a page that needs the visitor. */

/** A tab's icon is 16 pixels wide, which one digit and a sign fill. */
const countMax = 9;
const more = "more";

type Count = `${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | typeof more;
export type IconName = "icon.svg" | `icon-${Count}.svg`;

/** The icon with a count; above nine it shows "9+". */
export const iconName = (count = 0): IconName =>
  count === 0 ? "icon.svg" : (`icon-${count > countMax ? more : count}.svg` as IconName);

/** The files of all counts: their names and texts. */
export const iconsWithCount = (icon: string): [name: IconName, text: string][] =>
  [...Array.from({ length: countMax }, (_, at) => at + 1), countMax + 1].map((count) => [
    iconName(count),
    icon.replace("</svg>", `${badge(count > countMax ? `${countMax}+` : String(count))}</svg>`),
  ]);

function badge(text: string): string {
  const size = text.length > 1 ? 6 : 7.5;
  const font = `font-family="sans-serif" font-size="${size}" font-weight="700"`;
  return (
    '<circle cx="11" cy="11" r="5" fill="#a8271d"/>' +
    `<text x="11" y="13.500" ${font} fill="#fff" text-anchor="middle">${text}</text>`
  );
}
