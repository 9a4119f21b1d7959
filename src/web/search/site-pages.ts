/** Pages of the site by the names that people give them. */
import { isAdmin } from "../../core/auth/permissions.ts";
import type { Scope } from "../../core/auth/scopes.ts";
import { hasScope } from "../layout.tsx";
import type { View } from "../view.ts";

interface SitePage {
  title: string;
  path: string;
  /** What people also call it. */
  words?: string;
  needs?: Scope | "admin";
}

const sitePages: readonly SitePage[] = [
  { title: "Today", path: "/", words: "home inbox" },
  { title: "Review queue", path: "/assets?status=pending", words: "waiting pending", needs: "assets:read" },
  { title: "Tasks", path: "/tasks", words: "board issues pull requests", needs: "feed:read" },
  { title: "Runs", path: "/runs", words: "agents steps", needs: "feed:read" },
  { title: "Feed", path: "/feed", words: "events activity", needs: "feed:read" },
  { title: "Projects", path: "/projects", words: "repositories", needs: "feed:read" },
  { title: "Assets", path: "/assets", words: "library files upload", needs: "assets:read" },
  { title: "Share links", path: "/shares", words: "shares guests", needs: "assets:read" },
  { title: "Memory", path: "/memory", words: "decisions", needs: "memory:read" },
  { title: "Preferences", path: "/memory?view=preferences", needs: "memory:read" },
  { title: "Brief", path: "/memory?view=brief", needs: "memory:read" },
  { title: "Usage", path: "/usage", words: "cost spend tokens money budgets", needs: "feed:read" },
  { title: "Settings", path: "/settings", words: "theme dark sessions shortcuts account" },
  {
    title: "Link projects",
    path: "/settings/projects",
    words: "administration repositories",
    needs: "admin",
  },
  { title: "Tokens", path: "/settings/tokens", words: "administration access revoke", needs: "admin" },
  { title: "Offboard", path: "/settings/offboard", words: "contractor left leaked", needs: "admin" },
  { title: "Webhooks", path: "/settings/webhooks", words: "administration chat", needs: "webhooks:write" },
  { title: "Email", path: "/settings/email", words: "administration digests mail", needs: "webhooks:write" },
  { title: "Audit log", path: "/settings/audit", words: "administration who", needs: "admin" },
  {
    title: "Deployment",
    path: "/settings/deployment",
    words: "administration checks backup",
    needs: "admin",
  },
  { title: "More", path: "/more", words: "features" },
  { title: "How teams use svc", path: "/methodology", words: "method methodology rules" },
  { title: "Documentation", path: "/docs", words: "docs help" },
  { title: "API reference", path: "/docs/api", words: "http rest" },
  { title: "Glossary", path: "/docs/concepts#glossary", words: "terms words" },
];

const shownMax = 3;

/** The pages each word of a query begins a name of, the title first; all of them for an empty query. */
export function findSitePages(view: View, query: string): SitePage[] {
  const { visitor } = view;
  const allowed = sitePages.filter(
    ({ needs }) =>
      needs === undefined || (needs === "admin" ? isAdmin(visitor.caller) : hasScope(view, needs)),
  );
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return allowed;
  const has = (text: string) =>
    wanted.every((word) =>
      text
        .toLowerCase()
        .split(" ")
        .some((name) => name.startsWith(word)),
    );
  return allowed
    .filter(({ title, words = "" }) => has(`${title} ${words}`))
    .toSorted((a, b) => Number(has(b.title)) - Number(has(a.title)))
    .slice(0, shownMax);
}

/** The path of the page with this name, or of the only one whose name begins with it. */
export function pathOfPage(view: View, query: string): string | undefined {
  const name = query.toLowerCase();
  const pages = findSitePages(view, query).filter(({ title }) => title.toLowerCase().startsWith(name));
  const [only] = pages.length === 1 ? pages : [];
  return (pages.find(({ title }) => title.toLowerCase() === name) ?? only)?.path;
}
