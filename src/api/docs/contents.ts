/**
 * The pages of the documentation and their order. Each is Markdown that starts with a title and a paragraph
 * that describes the page.
 */

import changelog from "../../../CHANGELOG.md" with { type: "text" };
import { forgesByName } from "../../integrations/forges/forges.ts";
import chat from "./pages/connect/chat.md" with { type: "text" };
import ci from "./pages/connect/ci.md" with { type: "text" };
import connect from "./pages/connect/connect.md" with { type: "text" };
import hooks from "./pages/connect/hooks.md" with { type: "text" };
import mcp from "./pages/connect/mcp.md" with { type: "text" };
import previews from "./pages/connect/previews.md" with { type: "text" };
import telemetry from "./pages/connect/telemetry.md" with { type: "text" };
import usageSources from "./pages/connect/usage-sources.md" with { type: "text" };
import webhooks from "./pages/connect/webhooks.md" with { type: "text" };
import agents from "./pages/reference/agent-readiness.md" with { type: "text" };
import architecture from "./pages/reference/architecture.md" with { type: "text" };
import compatibility from "./pages/reference/compatibility.md" with { type: "text" };
import measurements from "./pages/reference/measurements.md" with { type: "text" };
import versioning from "./pages/reference/versioning.md" with { type: "text" };
import backups from "./pages/run/backups.md" with { type: "text" };
import configuration from "./pages/run/configuration.md" with { type: "text" };
import deploy from "./pages/run/deploy.md" with { type: "text" };
import nodes from "./pages/run/nodes.md" with { type: "text" };
import operate from "./pages/run/operate.md" with { type: "text" };
import performance from "./pages/run/performance.md" with { type: "text" };
import postgres from "./pages/run/postgres.md" with { type: "text" };
import scaling from "./pages/run/scaling.md" with { type: "text" };
import singleSignOn from "./pages/run/single-sign-on.md" with { type: "text" };
import upgrading from "./pages/run/upgrading.md" with { type: "text" };
import concepts from "./pages/start/concepts.md" with { type: "text" };
import glossary from "./pages/start/glossary.md" with { type: "text" };
import index from "./pages/start/index.md" with { type: "text" };
import quickStart from "./pages/start/quick-start.md" with { type: "text" };
import api from "./pages/use/api.md" with { type: "text" };
import client from "./pages/use/client.md" with { type: "text" };
import commandLine from "./pages/use/command-line.md" with { type: "text" };
import email from "./pages/use/email.md" with { type: "text" };
import guide from "./pages/use/guide.md" with { type: "text" };
import inbox from "./pages/use/inbox.md" with { type: "text" };
import review from "./pages/use/review.md" with { type: "text" };
import runs from "./pages/use/runs.md" with { type: "text" };
import today from "./pages/use/today.md" with { type: "text" };

export interface DocEntry {
  /** `quick-start`. */
  name: string;
  /** `/docs/quick-start`. */
  path: string;
  title: string;
  /** The first paragraph, as plain text on one line. */
  description: string;
  /** The Markdown source, with unfilled slots. */
  text: string;
}

const entry = (name: string, text: string): DocEntry => {
  const [, title = "", description = ""] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  return {
    name,
    path: name === "index" ? "/docs" : `/docs/${name}`,
    title,
    description: toPlainText(description),
    text,
  };
};

const toPlainText = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .trim()
    .replace(/\s+/g, " ");

export const start: DocEntry = entry("index", index);

/** The chapters, each a folder of `src/api/docs/pages`. The page of a forge is in its own folder. */
export const chapters: { title: string; entries: DocEntry[] }[] = [
  {
    title: "Get started",
    entries: [entry("quick-start", quickStart), entry("concepts", concepts), entry("glossary", glossary)],
  },
  {
    title: "Use svc",
    entries: [
      entry("today", today),
      entry("inbox", inbox),
      entry("email", email),
      entry("guide", guide),
      entry("review", review),
      entry("runs", runs),
      entry("command-line", commandLine),
      entry("client", client),
      entry("api", api),
    ],
  },
  {
    title: "Connect agents and services",
    entries: [
      entry("connect", connect),
      entry("mcp", mcp),
      entry("hooks", hooks),
      entry("telemetry", telemetry),
      entry("usage-sources", usageSources),
      entry("webhooks", webhooks),
      entry("chat", chat),
      ...Object.entries(forgesByName).map(([name, { page }]) => entry(name, page)),
      entry("previews", previews),
      entry("ci", ci),
    ],
  },
  {
    title: "Run svc",
    entries: [
      entry("deploy", deploy),
      entry("configuration", configuration),
      entry("postgres", postgres),
      entry("nodes", nodes),
      entry("operate", operate),
      entry("single-sign-on", singleSignOn),
      entry("backups", backups),
      entry("upgrading", upgrading),
      entry("performance", performance),
      entry("scaling", scaling),
    ],
  },
  {
    title: "Reference",
    entries: [
      entry("versioning", versioning),
      entry("changelog", changelog),
      entry("compatibility", compatibility),
      entry("agent-readiness", agents),
      entry("architecture", architecture),
      entry("measurements", measurements),
    ],
  },
];

/** All pages in reading order. */
export const entries: DocEntry[] = [start, ...chapters.flatMap((chapter) => chapter.entries)];
