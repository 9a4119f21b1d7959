/** What an HTML page or an SVG says of itself. */
import type { MetadataName } from "./schema.ts";

/** Names of `<meta>` elements that say it. */
const metaNames: Record<string, MetadataName> = {
  description: "description",
  "og:description": "description",
  author: "author",
  copyright: "copyright",
  "dcterms.rights": "copyright",
  license: "license",
};

export function pageMetadata(source: string, mime: string): Map<MetadataName, boolean> {
  const isSvg = mime === "image/svg+xml";
  const names: MetadataName[] = ["title", "description", "lang", "license"];
  const found = new Map<MetadataName, boolean>(names.map((name) => [name, false]));
  if (!isSvg) for (const name of ["author", "copyright", "alt"] as const) found.set(name, name === "alt");
  const text: Record<"title" | "desc", string> = { title: "", desc: "" };
  const collect = (name: "title" | "desc") => ({
    text: (chunk: { text: string }) => void (text[name] += chunk.text),
  });
  new HTMLRewriter()
    .on("title", collect("title"))
    .on("desc", collect("desc"))
    .on("html, svg", {
      element: (element) => {
        if (element.getAttribute("lang")?.trim() || element.getAttribute("xml:lang")?.trim())
          found.set("lang", true);
      },
    })
    .on("meta", {
      element(element) {
        const name =
          metaNames[(element.getAttribute("name") ?? element.getAttribute("property") ?? "").toLowerCase()];
        if (name && element.getAttribute("content")?.trim()) found.set(name, true);
      },
    })
    .on("link, a", {
      element: (element) => {
        if (/(?:^|\s)license(?:\s|$)/i.test(element.getAttribute("rel") ?? "")) found.set("license", true);
      },
    })
    .on("img", {
      element: (element) => {
        // An empty one says that it is decoration.
        if (element.getAttribute("alt") === null) found.set("alt", false);
      },
    })
    .transform(source);
  if (text.title.trim()) found.set("title", true);
  if (isSvg && text.desc.trim()) found.set("description", true);
  if (isSvg && /<(?:cc|dc):(?:license|rights)[\s>]/.test(source)) found.set("license", true);
  return found;
}
