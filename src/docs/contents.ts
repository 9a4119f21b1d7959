/**
 * The pages of the documentation and their order. Each is Markdown that starts with a title and a paragraph
 * that describes the page.
 */

import changelog from "../../CHANGELOG.md" with { type: "text" };
import bitbucket from "../web/pages/docs/connect/bitbucket.md" with { type: "text" };
import chat from "../web/pages/docs/connect/chat.md" with { type: "text" };
import ci from "../web/pages/docs/connect/ci.md" with { type: "text" };
import connect from "../web/pages/docs/connect/connect.md" with { type: "text" };
import gitea from "../web/pages/docs/connect/gitea.md" with { type: "text" };
import github from "../web/pages/docs/connect/github.md" with { type: "text" };
import gitlab from "../web/pages/docs/connect/gitlab.md" with { type: "text" };
import hooks from "../web/pages/docs/connect/hooks.md" with { type: "text" };
import mcp from "../web/pages/docs/connect/mcp.md" with { type: "text" };
import previews from "../web/pages/docs/connect/previews.md" with { type: "text" };
import telemetry from "../web/pages/docs/connect/telemetry.md" with { type: "text" };
import usageSources from "../web/pages/docs/connect/usage-sources.md" with { type: "text" };
import webhooks from "../web/pages/docs/connect/webhooks.md" with { type: "text" };
import agents from "../web/pages/docs/reference/agent-readiness.md" with { type: "text" };
import architecture from "../web/pages/docs/reference/architecture.md" with { type: "text" };
import licenses from "../web/pages/docs/reference/licenses.md" with { type: "text" };
import measurements from "../web/pages/docs/reference/measurements.md" with { type: "text" };
import versioning from "../web/pages/docs/reference/versioning.md" with { type: "text" };
import backups from "../web/pages/docs/run/backups.md" with { type: "text" };
import configuration from "../web/pages/docs/run/configuration.md" with { type: "text" };
import deploy from "../web/pages/docs/run/deploy.md" with { type: "text" };
import nodes from "../web/pages/docs/run/nodes.md" with { type: "text" };
import operate from "../web/pages/docs/run/operate.md" with { type: "text" };
import performance from "../web/pages/docs/run/performance.md" with { type: "text" };
import postgres from "../web/pages/docs/run/postgres.md" with { type: "text" };
import scaling from "../web/pages/docs/run/scaling.md" with { type: "text" };
import upgrading from "../web/pages/docs/run/upgrading.md" with { type: "text" };
import concepts from "../web/pages/docs/start/concepts.md" with { type: "text" };
import glossary from "../web/pages/docs/start/glossary.md" with { type: "text" };
import index from "../web/pages/docs/start/index.md" with { type: "text" };
import quickStart from "../web/pages/docs/start/quick-start.md" with { type: "text" };
import api from "../web/pages/docs/use/api.md" with { type: "text" };
import client from "../web/pages/docs/use/client.md" with { type: "text" };
import commandLine from "../web/pages/docs/use/command-line.md" with { type: "text" };
import email from "../web/pages/docs/use/email.md" with { type: "text" };
import guide from "../web/pages/docs/use/guide.md" with { type: "text" };
import inbox from "../web/pages/docs/use/inbox.md" with { type: "text" };
import review from "../web/pages/docs/use/review.md" with { type: "text" };
import runs from "../web/pages/docs/use/runs.md" with { type: "text" };
import today from "../web/pages/docs/use/today.md" with { type: "text" };

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
  /** Only the part before its first section is included in llms-full.txt. */
  isAbridged?: true;
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

/** The chapters, each a folder of `src/web/pages/docs`. */
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
      entry("github", github),
      entry("gitlab", gitlab),
      entry("gitea", gitea),
      entry("bitbucket", bitbucket),
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
      entry("agent-readiness", agents),
      entry("architecture", architecture),
      entry("measurements", measurements),
      { ...entry("licenses", licenses), isAbridged: true },
    ],
  },
];

/** All pages in reading order. */
export const entries: DocEntry[] = [start, ...chapters.flatMap((chapter) => chapter.entries)];
