/**
 * The pages of the documentation and their order. Each is Markdown that starts with a title and a paragraph
 * that describes the page.
 */

import changelog from "../../CHANGELOG.md" with { type: "text" };
import agents from "../web/pages/docs/agent-readiness.md" with { type: "text" };
import api from "../web/pages/docs/api.md" with { type: "text" };
import architecture from "../web/pages/docs/architecture.md" with { type: "text" };
import backups from "../web/pages/docs/backups.md" with { type: "text" };
import bitbucket from "../web/pages/docs/bitbucket.md" with { type: "text" };
import chat from "../web/pages/docs/chat.md" with { type: "text" };
import ci from "../web/pages/docs/ci.md" with { type: "text" };
import client from "../web/pages/docs/client.md" with { type: "text" };
import commandLine from "../web/pages/docs/command-line.md" with { type: "text" };
import concepts from "../web/pages/docs/concepts.md" with { type: "text" };
import configuration from "../web/pages/docs/configuration.md" with { type: "text" };
import connect from "../web/pages/docs/connect.md" with { type: "text" };
import deploy from "../web/pages/docs/deploy.md" with { type: "text" };
import email from "../web/pages/docs/email.md" with { type: "text" };
import gitea from "../web/pages/docs/gitea.md" with { type: "text" };
import github from "../web/pages/docs/github.md" with { type: "text" };
import gitlab from "../web/pages/docs/gitlab.md" with { type: "text" };
import glossary from "../web/pages/docs/glossary.md" with { type: "text" };
import guide from "../web/pages/docs/guide.md" with { type: "text" };
import hooks from "../web/pages/docs/hooks.md" with { type: "text" };
import inbox from "../web/pages/docs/inbox.md" with { type: "text" };
import index from "../web/pages/docs/index.md" with { type: "text" };
import licenses from "../web/pages/docs/licenses.md" with { type: "text" };
import mcp from "../web/pages/docs/mcp.md" with { type: "text" };
import measurements from "../web/pages/docs/measurements.md" with { type: "text" };
import nodes from "../web/pages/docs/nodes.md" with { type: "text" };
import operate from "../web/pages/docs/operate.md" with { type: "text" };
import performance from "../web/pages/docs/performance.md" with { type: "text" };
import postgres from "../web/pages/docs/postgres.md" with { type: "text" };
import previews from "../web/pages/docs/previews.md" with { type: "text" };
import quickStart from "../web/pages/docs/quick-start.md" with { type: "text" };
import review from "../web/pages/docs/review.md" with { type: "text" };
import runs from "../web/pages/docs/runs.md" with { type: "text" };
import scaling from "../web/pages/docs/scaling.md" with { type: "text" };
import telemetry from "../web/pages/docs/telemetry.md" with { type: "text" };
import today from "../web/pages/docs/today.md" with { type: "text" };
import upgrading from "../web/pages/docs/upgrading.md" with { type: "text" };
import usageSources from "../web/pages/docs/usage-sources.md" with { type: "text" };
import versioning from "../web/pages/docs/versioning.md" with { type: "text" };
import webhooks from "../web/pages/docs/webhooks.md" with { type: "text" };

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
      entry("connect", connect),
      entry("telemetry", telemetry),
      entry("hooks", hooks),
      entry("usage-sources", usageSources),
      entry("webhooks", webhooks),
      entry("chat", chat),
      entry("mcp", mcp),
      entry("github", github),
      entry("gitlab", gitlab),
      entry("gitea", gitea),
      entry("bitbucket", bitbucket),
      entry("previews", previews),
      entry("ci", ci),
      entry("command-line", commandLine),
      entry("client", client),
      entry("api", api),
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
