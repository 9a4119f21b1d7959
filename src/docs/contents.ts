/** The documentation: which pages there are, in which order. Each is Markdown that begins with its title and one paragraph of what it is. */

import changelog from "../../CHANGELOG.md" with { type: "text" };
import agents from "../web/pages/docs/agent-readiness.md" with { type: "text" };
import api from "../web/pages/docs/api.md" with { type: "text" };
import backups from "../web/pages/docs/backups.md" with { type: "text" };
import client from "../web/pages/docs/client.md" with { type: "text" };
import commandLine from "../web/pages/docs/command-line.md" with { type: "text" };
import concepts from "../web/pages/docs/concepts.md" with { type: "text" };
import configuration from "../web/pages/docs/configuration.md" with { type: "text" };
import deploy from "../web/pages/docs/deploy.md" with { type: "text" };
import guide from "../web/pages/docs/guide.md" with { type: "text" };
import index from "../web/pages/docs/index.md" with { type: "text" };
import licenses from "../web/pages/docs/licenses.md" with { type: "text" };
import mcp from "../web/pages/docs/mcp.md" with { type: "text" };
import nodes from "../web/pages/docs/nodes.md" with { type: "text" };
import operate from "../web/pages/docs/operate.md" with { type: "text" };
import performance from "../web/pages/docs/performance.md" with { type: "text" };
import quickStart from "../web/pages/docs/quick-start.md" with { type: "text" };
import scaling from "../web/pages/docs/scaling.md" with { type: "text" };
import versioning from "../web/pages/docs/versioning.md" with { type: "text" };

export interface Entry {
  /** `quick-start`. */
  name: string;
  /** `/docs/quick-start`. */
  path: string;
  title: string;
  /** The first paragraph, as plain text on one line. */
  description: string;
  /** As it was written: slots are not filled. */
  text: string;
  /** Only what comes before its first section is part of the full text. */
  isAbridged?: true;
}

const entry = (name: string, text: string): Entry => {
  const [, title = "", description = ""] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  return { name, path: name === "index" ? "/docs" : `/docs/${name}`, title, description: plain(description), text };
};

const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .trim()
    .replace(/\s+/g, " ");

export const start: Entry = entry("index", index);

export const chapters: { title: string; entries: Entry[] }[] = [
  { title: "Begin", entries: [entry("quick-start", quickStart), entry("concepts", concepts)] },
  {
    title: "Use",
    entries: [entry("guide", guide), entry("mcp", mcp), entry("command-line", commandLine), entry("client", client), entry("api", api)],
  },
  {
    title: "Operate",
    entries: [
      entry("deploy", deploy),
      entry("nodes", nodes),
      entry("scaling", scaling),
      entry("performance", performance),
      entry("operate", operate),
      entry("backups", backups),
      entry("configuration", configuration),
    ],
  },
  {
    title: "Rely on it",
    entries: [
      entry("versioning", versioning),
      entry("changelog", changelog),
      { ...entry("licenses", licenses), isAbridged: true },
      entry("agent-readiness", agents),
    ],
  },
];

/** In the order in which they are read. */
export const entries: Entry[] = [start, ...chapters.flatMap((chapter) => chapter.entries)];
