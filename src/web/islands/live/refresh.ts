/** Replaces the asset list with its current state; the rest of the page, such as upload progress, stays. */

export async function refresh(): Promise<void> {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const fresh = page.getElementById("assets");
  if (fresh) document.getElementById("assets")?.replaceWith(fresh);
  document.dispatchEvent(new Event("assets-changed"));
}
