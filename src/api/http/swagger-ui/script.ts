/**
 * Script of the API explorer. It follows the system's dark mode and adds the accessible names, heading levels
 * and focus that Swagger UI lacks.
 */
export const tryScript = `
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.onchange = theme;
theme();

const each = (selector, change) => document.querySelectorAll(selector).forEach(change);
const set = (name, value) => (element) => {
  const wanted = typeof value === "function" ? value(element) : value;
  if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
};
const repair = () => {
  // A link inside a button is invalid; the button does the same.
  each("button a[href]", (link) => link.removeAttribute("href"));
  each(".opblock-tag, section.models > h4", set("aria-level", "2"));
  each(".opblock h4", set("aria-level", "3"));
  each(".opblock h5", set("aria-level", "4"));
  const selectName = (select) => select.closest("tr")?.dataset.paramName ?? "Server";
  each("select:not([aria-label]), .scheme-container select", set("aria-label", selectName));
  each(".dialog-ux h3", set("aria-level", "2"));
  each(".dialog-ux h4", set("aria-level", "3"));
  each(".dialog-ux .close-modal", set("aria-label", "Close"));
  // WCAG 2.5.3: the accessible name has to contain the visible label.
  each(".dialog-ux .btn[aria-label]", (button) => {
    const [shown, name] = [button.textContent.trim(), button.getAttribute("aria-label")];
    if (!name.includes(shown)) button.setAttribute("aria-label", shown + ": " + name);
  });
  each("textarea.body-param__text", set("aria-label", "Request body"));
  each("table.responses-table[role]", (table) => {
    table.removeAttribute("aria-labelledby");
    set("aria-label", "Responses of " + table.closest(".opblock")?.id.split("-").at(-1))(table);
  });
  each("pre.microlight, .opblock-body, .parameters-container", set("tabindex", "0"));
  each(".responses-inner, .table-container", set("tabindex", "0"));
  const region = (name) => (part) => (set("role", "region")(part), set("aria-label", name)(part));
  each(".information-container", region("About the API"));
  each(".scheme-container", region("Server and authorization"));
};
new MutationObserver(repair).observe(document, { childList: true, subtree: true });
`;
