/** Says what sessions there are, and where they would go. */
import { agents } from "../../../src/core/agents/agents.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { plural } from "../../output/table.ts";
import type { Inventory } from "./inventory.ts";

type Unlinked = Inventory["unlinked"];

/** Those on a public forge: of another host, the forge is not known. */
export const linkable = (unlinked: Unlinked): Unlinked =>
  unlinked.filter(({ repository }) => repository.forge !== null);

/** @param place names the server or the database */
export function describe(inventory: Inventory, place: string): string[] {
  const { sessions, unlinked, elsewhere, agents: counts, since, bytes } = inventory;
  const projects = Map.groupBy(sessions, ({ to }) => to.project);
  const names = [...counts].map(
    ([agent, count]) => `${agents[agent].label} ${count.toLocaleString("en-US")}`,
  );
  const lines: string[] = [];
  if (sessions.length > 0) {
    const day = new Date(since).toISOString().slice(0, 10);
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    lines.push(
      `Found ${plural(sessions.length, "session")} of ${plural(projects.size, "linked project")} ${place} ` +
        `since ${day}: ${names.join(", ")} (${size}).`,
    );
  }
  for (const [project, own] of projects)
    lines.push(`  ${escapeControls(project)}: ${plural(own.length, "session")}`);
  if (unlinked.length > 0) lines.push("Not linked to a project:");
  for (const { repository, count } of unlinked) {
    const next = repository.forge
      ? `would be the project ${repository.slug}`
      : "link it with svc project link";
    const name = escapeControls(`${repository.host}/${repository.path}`);
    lines.push(`  ${name}: ${plural(count, "session")}, ${next}`);
  }
  if (elsewhere > 0) lines.push(`Left out: ${plural(elsewhere, "session")} without a Git remote.`);
  return lines;
}
