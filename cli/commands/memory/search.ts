/** `svc search`: searches everything that the token or the database allows to read. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { SearchQuery } from "../../../src/overview/search/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine } from "../../command.ts";
import { note } from "../../output/report.ts";
import { wrapIndented } from "../../output/table.ts";
import { terminalWidth } from "../../output/terminal.ts";

type Result = Schemas["SearchResult"];

export default defineCommand({
  args: {
    query: {
      type: "positional",
      description: "Search terms, #12, run 7, decision 3, a project, an asset ID, a SHA-256, or a public URL",
    },
    limit: { type: "string", description: "Maximum number of results per group (default 5)" },
    ...apiFlags,
  },
  async run({ args }) {
    const query = checkFlags(SearchQuery, args);
    const found = await withApi(args, ({ api }) => unwrap(api.GET("/search", { params: { query } })));
    const groups = [...(found.jump ? [{ name: "jump", results: [found.jump] }] : []), ...found.groups];
    for (const { name, results } of groups) {
      if (!args.json) await printLine(name);
      for (const result of results)
        await printLine(args.json ? JSON.stringify({ group: name, ...result }) : formatResult(result));
    }
    if (groups.length === 0) note(args, "No results.");
  },
});

function formatResult({ type, id, project, title, text, url, ts }: Result): string {
  const facts = [type, type === "section" ? null : id, project === id ? null : project, ts?.slice(0, 10)];
  const width = terminalWidth();
  const indented = (line: string, indent: string) => wrapIndented(escapeControls(line), width, indent);
  return [
    ...indented(title, "  "),
    ...(text === "" ? [] : indented(text, "    ")),
    ...indented(facts.filter(Boolean).join("  "), "    "),
    ...(url === null ? [] : [`    ${escapeControls(url)}`]),
  ].join("\n");
}
