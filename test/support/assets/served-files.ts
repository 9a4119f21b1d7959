/** What the tests of served files upload and compare. */

export const text = "0123456789".repeat(100);
export const html = "<!doctype html><title>x</title><script type=module src=js/a.js></script>";
export const pages = [
  { name: "site/index.html", data: html },
  { name: "site/js/a.js", data: "import './b.mjs'" },
  { name: "site/js/b.mjs", data: "1" },
  { name: "site/Zoë's font.woff2", data: "font" },
];

/** Selected headers of a response. */
export const fieldsOf = (response: Response, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
