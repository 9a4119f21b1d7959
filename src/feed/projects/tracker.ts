/** The tracker of a project that keeps its tasks outside of its forge: where their pages are. */
import { Line } from "../../core/wire.ts";

/** What stands for the key of a task. */
const placeholder = "{task}";

export const taskUrlText = {
  description: "URL of a task of the project's tracker, with `{task}` for its key.",
  examples: ["https://example.com/browse/{task}"],
};
export const TaskUrl = Line(2048, taskUrlText);

/** Returns why a URL pattern cannot be used; null if it can. */
export function taskUrlProblem(pattern: string): string | null {
  const example = `such as https://linear.app/acme/issue/${placeholder}`;
  if (!pattern.includes(placeholder))
    return `must have ${placeholder} where the key of a task belongs, ${example}`;
  const urls = ["A-1", "B-2"].map((key) => URL.parse(fillTaskUrl(pattern, key)));
  const [url, other] = urls;
  if (!url || !other || /\s/.test(pattern)) return `must be a URL, ${example}`;
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return `must begin with https:// or http://, ${example}`;
  if (url.username || url.password) return "must not have a user name or a password";
  return url.host === other.host ? null : `must have ${placeholder} after the host, ${example}`;
}

export const fillTaskUrl = (pattern: string, key: string): string =>
  pattern.replaceAll(placeholder, () => encodeURIComponent(key));
