import { must } from "../harness.ts";
import { type Fact, fromLine, toLine } from "./stable-surface.ts";

/** Edits of the stable surface, as lines: what would be seen if the product changed. */
export function surfaceEdits(surface: () => Fact[]) {
  /** The surface with the line that starts so replaced; additions only if it is empty. */
  function changed(line: string, ...instead: string[]): Fact[] {
    const before = surface().map(toLine);
    const at = before.findIndex((one) => one.startsWith(line));
    if (line !== "" && at < 0) throw new Error(`there is no line ${line}`);
    return before.toSpliced(line === "" ? before.length : at, line === "" ? 0 : 1, ...instead).map(fromLine);
  }
  return {
    changed,
    /** The surface with a part of one line replaced. */
    altered(line: string, from: string, to: string): Fact[] {
      const whole = must(
        surface()
          .map(toLine)
          .find((one) => one.startsWith(line)),
      );
      if (!whole.includes(from)) throw new Error(`${whole} has no ${from}`);
      return changed(line, whole.replace(from, to));
    },
    without: (of: string): Fact[] => surface().filter((one) => one.of !== of),
    withNew: (...added: string[]): Fact[] => changed("", ...added),
  };
}
