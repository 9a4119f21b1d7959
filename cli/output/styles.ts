/** Styles of text in a terminal. Only what paints imports this: consola's colors take 4 ms of CPU to load. */
import { colors } from "consola/utils";
import { ownMark } from "./terminal.ts";

/** Without any color where consola sees that the terminal has none. */
export const styles = {
  bold: style(colors.bold),
  dim: style(colors.dim),
  red: style(colors.red),
  green: style(colors.green),
  yellow: style(colors.yellow),
  blue: style(colors.blue),
  magenta: style(colors.magenta),
  cyan: style(colors.cyan),
  cyanBright: style(colors.cyanBright),
  gray: style(colors.gray),
};

/** The style with a mark in its escape sequences, which `terminalText` removes. */
function style(paint: (text: string) => string): (text: string) => string {
  const [start = "", end = ""] = paint("|")
    .split("|")
    .map((sequence) => sequence.replaceAll("m", `;${ownMark}m`));
  return (text) => start + text + end;
}
