/** Finds text on a page that the bidi controls of other text can reorder. */

const blocks =
  /^(p|li|d[dt]|t[dhr]|h[1-6]|div|section|title|option|summary|fig\w+|label|[uod]l|form|main|body|aside|nav)$/;
const control = /[\u202a-\u202e\u2066-\u2068]/;
const isolated = /\u2068[^\n]*\u2069/g;

/** @returns blocks and attributes in which words follow a bidi control that neither <bdi> nor marks isolate */
export async function bidiLeaks(html: string): Promise<string[]> {
  const leaks: string[] = [];
  const check = (where: string, text: string) => {
    for (const paragraph of text.replace(isolated, "").split("\n"))
      if (control.test(paragraph) && /[\w,;:!?)]\s*$/.test(paragraph)) leaks.push(`${where}: ${text}`);
  };
  const open: { tag: string; text: string }[] = [{ tag: "", text: "" }];
  const end = () => {
    const { tag, text } = open.pop() ?? { tag: "", text: "" };
    const parent = open.at(-1);
    if (blocks.test(tag)) check(tag, text);
    else if (parent && tag !== "bdi") parent.text += text;
  };
  const rewriter = new HTMLRewriter().on("*", {
    element(element) {
      // The value of a checkbox is not shown.
      const isChoice = element.getAttribute("type") === "checkbox";
      for (const [name, value] of element.attributes) if (!isChoice || name !== "value") check(name, value);
      if (!element.canHaveContent || element.selfClosing) return;
      open.push({ tag: element.tagName, text: "" });
      element.onEndTag(end);
    },
    text({ text }) {
      const parent = open.at(-1);
      if (parent) parent.text += text;
    },
  });
  await rewriter.transform(new Response(html)).text();
  return leaks;
}
