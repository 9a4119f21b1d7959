/**
 * The pages of the documentation and their order. Each is Markdown that starts with a title and a paragraph
 * that describes the page.
 */

import changelog from "../../../CHANGELOG.md" with { type: "text" };
import { forgesByName } from "../../integrations/forges/forges.ts";
import connect from "./pages/connect/connect.md" with { type: "text" };
import forges from "./pages/connect/forges.md" with { type: "text" };
import telemetry from "./pages/connect/telemetry.md" with { type: "text" };
import webhooks from "./pages/connect/webhooks.md" with { type: "text" };
import agents from "./pages/reference/agent-readiness.md" with { type: "text" };
import compatibility from "./pages/reference/compatibility.md" with { type: "text" };
import versioning from "./pages/reference/versioning.md" with { type: "text" };
import admin from "./pages/roles/admin.md" with { type: "text" };
import developer from "./pages/roles/developer.md" with { type: "text" };
import lead from "./pages/roles/lead.md" with { type: "text" };
import reviewer from "./pages/roles/reviewer.md" with { type: "text" };
import configuration from "./pages/run/configuration.md" with { type: "text" };
import deploy from "./pages/run/deploy.md" with { type: "text" };
import operate from "./pages/run/operate.md" with { type: "text" };
import people from "./pages/run/people.md" with { type: "text" };
import scaling from "./pages/run/scaling.md" with { type: "text" };
import index from "./pages/start/index.md" with { type: "text" };
import api from "./pages/use/api.md" with { type: "text" };
import commandLine from "./pages/use/command-line.md" with { type: "text" };
import concepts from "./pages/use/concepts.md" with { type: "text" };
import guide from "./pages/use/guide.md" with { type: "text" };
import review from "./pages/use/review.md" with { type: "text" };
import runs from "./pages/use/runs.md" with { type: "text" };
import today from "./pages/use/today.md" with { type: "text" };

export interface DocEntry {
  /** `developer`. */
  name: string;
  /** `/docs/developer`. */
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

interface Chapter {
  title: string;
  entries: DocEntry[];
}

/** Each forge describes itself in its own folder. */
const forgeSections = Object.values(forgesByName)
  .map(({ page }) => page.trim())
  .join("\n\n");

/** @param pages by the last segment of their path */
const chapter = (title: string, pages: Record<string, string>): Chapter => ({
  title,
  entries: Object.entries(pages).map(([name, text]) => entry(name, text)),
});

/** The chapters of the sidebar, each a folder of `src/api/docs/pages`. */
export const sidebar: readonly Chapter[] = [
  chapter("Start with your role", { lead, developer, reviewer, admin }),
  chapter("Use svc", { concepts, today, review, runs, "command-line": commandLine, guide, api }),
  chapter("Connect", {
    connect,
    forges: forges.replace("{forges}", () => forgeSections),
    telemetry,
    webhooks,
  }),
  chapter("Run svc", { deploy, configuration, people, operate, scaling }),
];

/** All chapters; those after the sidebar's are listed on the page of contents. */
export const chapters: readonly Chapter[] = [
  ...sidebar,
  chapter("Reference", { versioning, changelog, compatibility, "agent-readiness": agents }),
];

/** All pages in reading order. */
export const entries: readonly DocEntry[] = [start, ...chapters.flatMap((chapter) => chapter.entries)];
