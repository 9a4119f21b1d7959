/** What else svc can do: what a deployment does not use yet shows here, and nowhere else. */
import { isAdmin } from "../core/auth/permissions.ts";
import type { Scope } from "../core/auth/scopes.ts";
import { hasScope, maySetUp } from "./layout.tsx";
import type { Page, View } from "./view.ts";

interface Entry {
  title: string;
  /** What it is for, in one sentence. */
  text: string;
  /** Where to begin. */
  begin: readonly [label: string, path: string];
  scope?: Scope;
}

const groups: Record<string, readonly Entry[]> = {
  Learn: [
    { title: "Documentation", text: "How to use, connect, and run svc.", begin: ["Read the docs", "/docs"] },
    {
      title: "How teams use svc",
      text: "The five rules, and the way of a task from an issue to what it taught.",
      begin: ["Rules and task lifecycle", "/methodology"],
    },
    {
      title: "Words",
      text: "What each term on these pages means.",
      begin: ["Glossary", "/docs/concepts#glossary"],
    },
  ],
  "Review work": [
    {
      title: "Checklists",
      text: "Questions that a reviewer answers for every asset of a kind.",
      begin: ["How checklists work", "/docs/review#checklists"],
    },
    {
      title: "Review policies",
      text: "How many reviewers an asset of a kind needs, and which.",
      begin: ["More than one reviewer", "/docs/review#review-policies"],
    },
    {
      title: "Variant sets",
      text: "Several drafts for one place, compared and reviewed together.",
      begin: ["How sets work", "/docs/review#variant-sets"],
    },
    {
      title: "Share links",
      text: "Let people without a token see an asset, annotate it, or review it.",
      begin: ["Share links", "/shares"],
      scope: "assets:review",
    },
    {
      title: "Repeats",
      text: "Notice a rejected file that comes back, even after small changes.",
      begin: ["How repeats are found", "/docs/review#repeats"],
    },
  ],
  "Guide agents": [
    {
      title: "Preferences",
      text: "Short rules, such as a commit style, that every brief carries.",
      begin: ["Preferences", "/memory?view=preferences"],
      scope: "memory:read",
    },
    {
      title: "Models and guidance",
      text: "What a vendor says about prompting a model, kept beside your decisions.",
      begin: ["Guidance", "/memory?view=guidance"],
      scope: "memory:read",
    },
    {
      title: "Workstreams",
      text: "Split work into streams of your own, such as design and backend, to filter and count by.",
      begin: ["Set SVC_LANES", "/docs/configuration"],
    },
    {
      title: "Budgets",
      text: "Be told at 50, 80, and 100% of what work may cost.",
      begin: ["Set a budget", "/usage#budgets"],
      scope: "budgets:write",
    },
  ],
  Connect: [
    {
      title: "Agents",
      text: "One command connects Claude Code, Codex, Cursor, and others.",
      begin: ["Connect an agent", "/docs/connect"],
    },
    {
      title: "Telemetry",
      text: "Read tokens and cost from what your agents and gateways already send.",
      begin: ["Send telemetry", "/docs/telemetry"],
    },
    {
      title: "Chat and webhooks",
      text: "Post what matters to a channel, or send events to a program of yours.",
      begin: ["Chat notifications", "/docs/webhooks#chat"],
    },
    { title: "Email", text: "One mail a day with what needs you.", begin: ["Email", "/docs/today#email"] },
    { title: "API", text: "Everything here, for programs.", begin: ["API guide", "/docs/guide"] },
  ],
  "Run svc": [
    {
      title: "Postgres and several nodes",
      text: "For teams that outgrow one process and SQLite.",
      begin: ["Several nodes", "/docs/scaling#nodes"],
    },
    {
      title: "Backups",
      text: "One file with all rows and files.",
      begin: ["Backups", "/docs/operate#take-a-backup"],
    },
  ],
};

export function morePage(view: View): Page {
  const body = (
    <>
      <div class="head">
        <h1>More</h1>
        {maySetUp(view) && (
          <a class="button" href="/welcome">
            Get started
          </a>
        )}
        {isAdmin(view.visitor.caller) && (
          <a class="button" href="/settings">
            Settings
          </a>
        )}
      </div>
      <p class="lede">What else svc can do. Most teams begin without it.</p>
      {Object.entries(groups).map(([title, entries]) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul class="cards more">
            {entries
              .filter(({ scope }) => !scope || hasScope(view, scope))
              .map(({ title, text, begin: [label, path] }) => (
                <li class="card" key={title}>
                  <h3>{title}</h3>
                  <p>{text}</p>
                  <a href={path}>{label}</a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
  return { title: "More", navEntry: "more", body };
}
