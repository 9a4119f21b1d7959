/** The texts that pages load, by file name. The build puts this module into the executable compressed. */
import pixelmatch from "pixelmatch/index.js" with { type: "text" };
import icon from "./icons/icon.svg" with { type: "text" };
import { iconsWithCount } from "./icons/icon-with-count.ts";
import { islandScripts } from "./island-scripts.ts" with { type: "macro" };
import { meshoptScript } from "./models/model-viewer.ts";
import { styleSheet } from "./style/style-sheet.ts";

/** The browser loads each as a module; they are served side by side. */
const islands = islandScripts();

/** A script as it is served, beside those that it imports from other folders and packages. */
const served = (script: string): string =>
  script
    .replace(/(from|import)"\.\.\/[a-z]+\//g, '$1"./')
    .replace('from"pixelmatch"', 'from"./pixelmatch.js"');

export const siteTexts: Record<string, string> = {
  "style.css": styleSheet,
  "icon.svg": icon,
  "meshopt.js": meshoptScript,
  "pixelmatch.js": pixelmatch as unknown as string,
  ...Object.fromEntries(iconsWithCount(icon)),
  ...Object.fromEntries(Object.entries(islands).map(([name, script]) => [name, served(script)])),
};
