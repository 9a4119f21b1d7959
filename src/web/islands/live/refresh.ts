/** Replaces the asset list with its current state; the rest of the page, such as upload progress, stays. */
import { fetchPage, replacePart } from "../page/parts.js";

export async function refresh(): Promise<void> {
  const { page } = await fetchPage(location.href);
  const [old, fresh] = [document.getElementById("assets"), page.getElementById("assets")];
  if (old && fresh) replacePart(old, fresh);
  document.dispatchEvent(new Event("assets-changed"));
}
