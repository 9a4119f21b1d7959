/** The views of the work: tasks as a board or a table, and runs. Each keeps the project. */

import { filtersOf, type View } from "../view.ts";

const tabs = { Board: ["/tasks", ""], Table: ["/tasks", "table"], Runs: ["/runs", ""] } as const;

export function TaskTabs({ view: { url }, shown }: { view: View; shown: keyof typeof tabs }) {
  const urlOf = (path: string, as: string) => {
    const query = new URLSearchParams({ ...(as && { as }), ...filtersOf(url, ["project"]) }).toString();
    return query ? `${path}?${query}` : path;
  };
  return (
    <nav class="tabs" aria-label="View">
      {Object.entries(tabs).map(([label, [path, as]]) => (
        <a key={label} href={urlOf(path, as)} aria-current={label === shown ? "true" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
