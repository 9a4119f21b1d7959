/** What the doctor says: one line each, with what to do about it. */
export interface Finding {
  what: string;
  level: "ok" | "warning" | "error";
  said: string;
}

export const ok = (what: string, said: string): Finding => ({ what, level: "ok", said });
export const warning = (what: string, said: string): Finding => ({ what, level: "warning", said });
export const wrong = (what: string, said: string): Finding => ({ what, level: "error", said });

const namedMax = 3;

/** Some by name, and how many more there are. */
export function named(names: readonly string[], count: number = names.length): string {
  const some = names.slice(0, namedMax);
  return some.join(", ") + (count > some.length ? ` and ${count - some.length} more` : "");
}
