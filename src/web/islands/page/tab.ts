/** The title and the icon of the tab, as a page that was loaded again has them. */

const iconOf = (page: Document) => page.querySelector<HTMLLinkElement>('link[rel="icon"]');

export function showInTab(page: Document): void {
  document.title = page.title;
  const [shown, fresh] = [iconOf(document), iconOf(page)];
  // A browser shows a new icon when the link is a new one.
  if (shown && fresh && shown.getAttribute("href") !== fresh.getAttribute("href")) shown.replaceWith(fresh);
}
