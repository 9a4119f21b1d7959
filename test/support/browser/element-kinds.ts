/** Tells whether a page is built of what other pages are built of, by its HTML. */

/** What rules and style sheets tell elements apart by; of the other attributes, they see that they are there. */
const read = /^(class|role|type|rel|tabindex|data-state|aria-(current|pressed|hidden|live))$/;

/** Returns the kinds of elements in a page, each with the kind of its parent. */
export function elementKinds(html: string): Set<string> {
  const kinds = new Set<string>();
  const parents: string[] = [];
  const rewriter = new HTMLRewriter().on("*", {
    element(element) {
      const attributes = [...element.attributes].map(([name, value]) =>
        read.test(name) ? `${name}=${value}` : name,
      );
      const kind = [element.tagName, ...attributes.toSorted()].join(" ");
      kinds.add(`${parents.at(-1)} > ${kind}`);
      if (!element.canHaveContent || element.selfClosing) return;
      parents.push(kind);
      element.onEndTag(() => void parents.pop());
    },
  });
  rewriter.transform(html);
  return kinds;
}
