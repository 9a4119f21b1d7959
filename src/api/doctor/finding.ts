/** One line of `svc doctor`: what was checked, the result, and how to fix it. */
export interface Finding {
  what: string;
  level: "ok" | "warning" | "error";
  /** The result in words. `svc doctor --json` prints the field by this name. */
  detail: string;
}

export const ok = (what: string, text: string): Finding => ({ what, level: "ok", detail: text });
export const warning = (what: string, text: string): Finding => ({ what, level: "warning", detail: text });
export const wrong = (what: string, text: string): Finding => ({ what, level: "error", detail: text });

const namesMax = 3;

/** Lists up to three names, and how many more there are. */
export function nameSome(names: readonly string[], count: number = names.length): string {
  const shown = names.slice(0, namesMax);
  return shown.join(", ") + (count > shown.length ? ` and ${count - shown.length} more` : "");
}
